import { CONTENT_KINDS } from './bytes/content-kinds.ts';
import { NAME_KINDS } from './bytes/name-kinds.ts';
import { BOUNDARY_KINDS } from './forged/boundary-kinds.ts';
import { CASE_KINDS } from './forged/case-kinds.ts';
import { CONTROL_KINDS } from './forged/control-kinds.ts';
import { FORM_KINDS } from './forged/form-kinds.ts';
import { KEPT_KINDS } from './forged/kept-kinds.ts';
import { MEMBER_KINDS } from './forged/member-kinds.ts';
import { RUN_KINDS } from './forged/run-kinds.ts';
import type { Kind } from './kind.ts';
import { SIGNATURE_KINDS } from './signed/signature-kinds.ts';

/** Kinds that change evidence in ways that no bundle may take, whatever is free in it; a self-check tries these. */
export const SELF_CHECK_KINDS: readonly string[] = [
  ...CONTENT_KINDS,
  ...NAME_KINDS,
  ...FORM_KINDS,
  ...CASE_KINDS,
  ...CONTROL_KINDS,
  ...KEPT_KINDS,
  ...RUN_KINDS,
  ...BOUNDARY_KINDS,
  ...SIGNATURE_KINDS,
].map(({ id }) => id);

/** Every way to tamper with evidence that is known here. */
export const TAMPER_KINDS: readonly Kind[] = [
  ...CONTENT_KINDS,
  ...NAME_KINDS,
  ...FORM_KINDS,
  ...CASE_KINDS,
  ...CONTROL_KINDS,
  ...KEPT_KINDS,
  ...RUN_KINDS,
  ...BOUNDARY_KINDS,
  ...MEMBER_KINDS,
  ...SIGNATURE_KINDS,
];
