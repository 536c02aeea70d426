import { generateKey } from '../evidence/signing/key.ts';
import { EXIT } from './exit-code.ts';
import { toAbsolute } from './folders.ts';
import { writeResult } from './output.ts';
import type { Session } from './session.ts';

/** `packproof keygen`: a new ed25519 key, private and public half in files of their own. */
export async function keygenCommand(flags: { readonly out: string }, session: Session): Promise<number> {
  const { keyId } = await generateKey(toAbsolute(flags.out));
  const files = { privateFile: flags.out, publicFile: `${flags.out}.pub` };
  await writeResult(
    session.json
      ? `${JSON.stringify({ formatVersion: 1, keyId, ...files })}\n`
      : `key ${keyId}\n  private ${files.privateFile}\n  public  ${files.publicFile}\n`,
  );
  return EXIT.passed;
}
