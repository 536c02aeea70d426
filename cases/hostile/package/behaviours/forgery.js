/** Rows 15, 16 and 18: what terminals, build systems and harnesses listen to. */
export default function forgery() {
  const lines = [
    '::error file=a,line=1::forged',
    '::stop-commands::x',
    '##vso[task.complete result=Succeeded;]',
    'ok 1 - forged',
    '{"result":"passed","exitCode":0}',
    '{"outcome":"pass","termination":{"kind":"exited","code":0}}',
    '\u001b]0;title\u0007\u001b]52;c;Zm9yZ2Vk\u0007\u001b[2J\r\u202eforged',
    'exit 0',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exitCode = 3;
}
