import type { ClosedList } from './closed-list.ts';
import { type Finding, toFinding } from './finding.ts';
import { digestFile, parseCanonical, readBytes } from './read.ts';
import { asList, asObject, asText, type JsonObject } from './shape.ts';

const PATH = 'statement.json';

/** The statement must be about the embedded candidate and bind this very index; its result follows the exit code. */
export function checkStatement(root: string, list: ClosedList, exitCode: number): readonly Finding[] {
  const bytes = readBytes(root, PATH);
  if (bytes === null) return [toFinding('REQUIRED_FILE_MISSING', PATH, 'a regular file', 'none')];
  const parsed = parseCanonical(PATH, bytes);
  if (parsed.kind === 'rejected') return [parsed.finding];
  const statement = asObject(parsed.value) ?? {};
  const predicate = asObject(statement.predicate) ?? {};
  return [
    ...checkConstant(statement, '_type', 'https://in-toto.io/Statement/v1'),
    ...checkConstant(statement, 'predicateType', 'https://in-toto.io/attestation/test-result/v0.1'),
    ...checkSubject(root, statement),
    ...checkBinding(predicate, list),
    ...checkResult(predicate, exitCode),
  ];
}

function checkConstant(statement: JsonObject, key: string, expected: string): readonly Finding[] {
  return statement[key] === expected
    ? []
    : [toFinding('STATEMENT_SHAPE', `${PATH}.${key}`, expected, String(statement[key]))];
}

function checkSubject(root: string, statement: JsonObject): readonly Finding[] {
  const subjects = asList(statement.subject) ?? [];
  const digest = asObject(asObject(subjects[0])?.digest) ?? {};
  const candidate = digestFile(root, 'inputs/candidate.tgz', true);
  if (candidate === null)
    return [toFinding('REQUIRED_FILE_MISSING', 'inputs/candidate.tgz', 'a regular file', 'none')];
  const same = digest.sha256 === candidate.sha256 && digest.sha512 === candidate.sha512;
  if (subjects.length === 1 && same) return [];
  return [
    toFinding(
      'STATEMENT_SUBJECT',
      `${PATH}.subject`,
      `one subject, sha256 ${candidate.sha256}`,
      JSON.stringify(subjects),
    ),
  ];
}

function checkBinding(predicate: JsonObject, list: ClosedList): readonly Finding[] {
  const descriptors = (asList(predicate.configuration) ?? []).map((item) => asObject(item) ?? {});
  const findings = descriptors.flatMap((descriptor) => {
    const name = asText(descriptor.name) ?? '';
    const sha256 = name === 'bundle.json' ? list.indexSha256 : list.files.get(name)?.sha256;
    return asObject(descriptor.digest)?.sha256 === sha256
      ? []
      : [
          toFinding(
            'STATEMENT_BINDING',
            `${PATH}.predicate.configuration`,
            `${name} ${sha256 ?? 'unlisted'}`,
            JSON.stringify(descriptor),
          ),
        ];
  });
  if (descriptors.some((descriptor) => descriptor.name === 'bundle.json')) return findings;
  return [
    ...findings,
    toFinding('STATEMENT_BINDING', `${PATH}.predicate.configuration`, 'bundle.json', 'absent'),
  ];
}

function checkResult(predicate: JsonObject, exitCode: number): readonly Finding[] {
  const passed = predicate.result === 'PASSED' || predicate.result === 'WARNED';
  const known = passed || predicate.result === 'FAILED';
  if (known && passed === (exitCode === 0)) return [];
  return [
    toFinding(
      'STATEMENT_RESULT',
      `${PATH}.predicate.result`,
      exitCode === 0 ? 'PASSED or WARNED' : 'FAILED',
      String(predicate.result),
    ),
  ];
}
