import { toCanonicalBytes } from '../../document/canonical.ts';
import { type BaseBundle, envelopeOf } from '../base-bundle.ts';
import type { Change } from '../change.ts';
import { deleted } from '../change.ts';
import { type Forgery, forge, forgeSigned } from '../forgery.ts';
import type { Draft, Keys, Kind } from '../kind.ts';
import { replaceAt, valueAt } from '../places.ts';

/** One statement whose envelope is forged; those of the others stay as they are. */
interface Subject {
  readonly bundle: BaseBundle;
  readonly keys: Keys;
  readonly path: string;
  /** The envelope as the trusted key made it. */
  readonly envelope: Buffer;
}

type Make = (subject: Subject) => readonly Change[] | null;

/** The envelope of each statement forged, judged with the key that is trusted. */
function signatureKind(id: string, what: string, make: Make): Kind {
  return {
    id,
    level: 'c',
    what,
    perField: 1,
    drafts: function* (bundle, keys): Generator<Draft> {
      for (const [path, envelope] of keys.envelopes) {
        const changes = make({ bundle, keys, path, envelope });
        if (changes === null) continue;
        const document = envelopeOf(path);
        yield { document, field: '', place: document, changes: () => changes };
      }
    },
  };
}

/** The bundle with one envelope made anew. */
function sealed(
  { bundle, keys, path }: Subject,
  forgery: Forgery,
  sign: (statement: Buffer) => Buffer,
): readonly Change[] {
  return forgeSigned(bundle, forgery, (statement, of) =>
    of === path ? sign(statement) : (keys.envelopes.get(of) ?? null),
  );
}

/** The envelope with a member changed, nothing else. */
const reworked =
  (edit: (envelope: unknown, keys: Keys) => unknown): Make =>
  (subject) =>
    sealed(subject, {}, () => toCanonicalBytes(edit(parsed(subject.envelope), subject.keys)));

function parsed(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString('utf8'));
}

const ENTRY = ['signatures', 0];

function signatureOf(envelope: unknown): Buffer {
  return Buffer.from(String(valueAt(envelope, ...ENTRY, 'sig')), 'base64');
}

const withSignature = (change: (signature: Buffer) => Buffer): Make =>
  reworked((envelope) =>
    replaceAt(envelope, [...ENTRY, 'sig'], change(signatureOf(envelope)).toString('base64')),
  );

/** A claim that a forger would like to make. */
function claim(path: string): Forgery {
  return { statements: { [path]: (statement) => replaceAt(statement, ['predicate', 'claim'], 'harmless') } };
}

export const SIGNATURE_KINDS: readonly Kind[] = [
  signatureKind('signature-stripped', 'no envelope', ({ bundle, keys, path }) => [
    ...forgeSigned(bundle, {}, (_, of) => (of === path ? null : (keys.envelopes.get(of) ?? null))),
    deleted(envelopeOf(path)),
  ]),
  signatureKind('signatures-stripped', 'no envelope at all', ({ bundle, keys }) => [
    ...forge(bundle, {}),
    ...[...keys.envelopes.keys()].map((path) => deleted(envelopeOf(path))),
  ]),
  signatureKind('resigned', 'signed by another key', (subject) =>
    sealed(subject, {}, subject.keys.stranger.sign),
  ),
  signatureKind('all-resigned', 'every statement signed by another key', ({ bundle, keys }) =>
    forgeSigned(bundle, {}, keys.stranger.sign),
  ),
  signatureKind('resigned-by-name', 'signed by another key that goes by the id of the first', (subject) =>
    sealed(subject, {}, (statement) => {
      const keyid = valueAt(parsed(subject.envelope), ...ENTRY, 'keyid');
      const resigned = parsed(subject.keys.stranger.sign(statement));
      return toCanonicalBytes(replaceAt(resigned, [...ENTRY, 'keyid'], keyid));
    }),
  ),
  signatureKind('claim-resigned', 'a further claim, signed by another key', (subject) =>
    sealed(subject, claim(subject.path), subject.keys.stranger.sign),
  ),
  signatureKind('claim-under-old-signature', 'a further claim, with the envelope as it was', (subject) =>
    sealed(subject, claim(subject.path), () => subject.envelope),
  ),
  signatureKind('claim-in-old-signature', 'a further claim as payload, with the old signature', (subject) =>
    sealed(subject, claim(subject.path), (statement) =>
      toCanonicalBytes(replaceAt(parsed(subject.envelope), ['payload'], statement.toString('base64'))),
    ),
  ),
  signatureKind('own-signature-of-another', 'another statement that the trusted key signed', (subject) => {
    const { own } = subject.keys;
    if (own === null) return null;
    return sealed(subject, {}, (statement) => own.sign(Buffer.concat([statement, Buffer.from(' ')])));
  }),
  signatureKind('envelope-of-another', 'the envelope of another statement of the same bundle', (subject) => {
    const other = [...subject.keys.envelopes].find(([path]) => path !== subject.path)?.[1];
    return other === undefined ? null : sealed(subject, {}, () => other);
  }),
  signatureKind(
    'two-signatures',
    'a second signature beside the first',
    reworkedSignatures((list) => [...list, list[0]]),
  ),
  signatureKind('second-signature-of-stranger', 'a second signature of another key', (subject) =>
    sealed(subject, {}, (statement) => {
      const first = parsed(subject.envelope);
      const second = parsed(subject.keys.stranger.sign(statement));
      const list = [valueAt(second, ...ENTRY), valueAt(first, ...ENTRY)];
      return toCanonicalBytes(replaceAt(first, ['signatures'], list));
    }),
  ),
  signatureKind(
    'no-signatures',
    'an envelope with no signature',
    reworkedSignatures(() => []),
  ),
  signatureKind(
    'signature-flipped',
    'a bit of the signature turned',
    withSignature((signature) => {
      const copy = Buffer.from(signature);
      copy[5] = (copy[5] ?? 0) ^ 1;
      return copy;
    }),
  ),
  signatureKind(
    'signature-zeroed',
    'a signature of zeros',
    withSignature(() => Buffer.alloc(64)),
  ),
  signatureKind(
    'signature-cut',
    'a signature one byte short',
    withSignature((signature) => signature.subarray(1)),
  ),
  signatureKind(
    'signature-lengthened',
    'a signature one byte long',
    withSignature((signature) => Buffer.concat([signature, Buffer.alloc(1)])),
  ),
  signatureKind(
    'signature-malleated',
    'a signature with the order of the group added',
    withSignature(malleate),
  ),
  signatureKind(
    'payload-type-changed',
    'another type of payload',
    reworked((envelope) => replaceAt(envelope, ['payloadType'], 'application/json')),
  ),
  signatureKind(
    'keyid-changed',
    'the id of another key',
    reworked((envelope, { stranger }) => replaceAt(envelope, [...ENTRY, 'keyid'], stranger.keyId)),
  ),
  signatureKind(
    'payload-emptied',
    'an envelope of nothing',
    reworked((envelope) => replaceAt(envelope, ['payload'], '')),
  ),
  signatureKind(
    'payload-loosened',
    'a payload in loose base64',
    reworked((envelope) => replaceAt(envelope, ['payload'], `${String(valueAt(envelope, 'payload'))}\n`)),
  ),
  signatureKind(
    'envelope-member-added',
    'a member that an envelope does not have',
    reworked((envelope) => ({ ...Object(envelope), note: '' })),
  ),
  signatureKind('envelope-linked', 'a link in the place of the envelope', (subject) => {
    const path = envelopeOf(subject.path);
    return [
      ...sealed(subject, {}, () => subject.envelope).filter((change) => change.path !== path),
      { path, kind: 'link', to: subject.path },
    ];
  }),
];

function reworkedSignatures(edit: (list: readonly unknown[]) => readonly unknown[]): Make {
  return reworked((envelope) => {
    const list = valueAt(envelope, 'signatures');
    return replaceAt(envelope, ['signatures'], edit(Array.isArray(list) ? list : []));
  });
}

/** The order of the group that ed25519 works in, little end first. Source: RFC 8032, section 5.1. */
const ORDER = Buffer.from('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010', 'hex');

/** The same point with another scalar, which a lax verifier takes as well (RFC 8032, section 8.4). */
function malleate(signature: Buffer): Buffer {
  const copy = Buffer.from(signature);
  let carry = 0;
  for (let index = 0; index < ORDER.length; index += 1) {
    const sum = (copy[32 + index] ?? 0) + (ORDER[index] ?? 0) + carry;
    copy[32 + index] = sum & 0xff;
    carry = sum >> 8;
  }
  return copy;
}
