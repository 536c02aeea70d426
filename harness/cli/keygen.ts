import { generateKey } from '../evidence/signing/key.ts';
import { EXIT } from './exit-code.ts';
import { toAbsolute } from './folders.ts';
import { toJsonLine, toLogText, writeResult } from './output.ts';
import type { Session } from './session.ts';

/** `packproof keygen`: a new ed25519 key, private and public half in files of their own. */
export async function keygenCommand(flags: { readonly out: string }, session: Session): Promise<number> {
  const { keyId } = await generateKey(toAbsolute(flags.out));
  const files = { privateFile: flags.out, publicFile: `${flags.out}.pub` };
  await writeResult(
    session.json
      ? toJsonLine({ formatVersion: 1, keyId, ...files })
      : `key ${keyId}\n  private ${toLogText(files.privateFile)}\n  public  ${toLogText(files.publicFile)}\n`,
  );
  return EXIT.passed;
}
