import type { Bundle } from '../bundle.ts';
import { toCanonicalText } from '../canonical.ts';
import type { DeclaredRun } from '../cases/declared.ts';
import type { StoredReceipt } from '../cases/outcome.ts';
import type { Findings } from '../finding.ts';
import {
  type Boundary,
  type Declared,
  declaredShape,
  engineShape,
  type Measured,
  measuredShape,
} from '../shape/boundary.ts';
import type { Outside } from '../shape/receipt.ts';
import type { Report } from '../shape/report.ts';
import { checkBoxes } from './boxes.ts';
import { choiceOf, keyOf, type NodeKind } from './kind.ts';
import { absentIn, checkMeasurement } from './measurement.ts';
import type { OutsideViews } from './outside-files.ts';
import { checkOutside, type Standard } from './outside-view.ts';
import { policyOf } from './policy.ts';
import { digestOf, seccompForms } from './seccomp-form.ts';

const DECLARED = 'boundary/declared.json';
const ENGINE = 'boundary/engine.json';
const MEASURED = 'boundary/measured.json';

/**
 * Holds the three views of the boundary against the policy of the format version, field by field, and then
 * the outside view of every box of every receipt against the view of its kind.
 *
 * Returns the kinds of boxes that were measured; none where nothing ran.
 */
export function checkBoundary(
  bundle: Bundle,
  report: Report,
  seen: {
    readonly run: DeclaredRun;
    readonly receipts: readonly StoredReceipt[];
    readonly views: OutsideViews;
  },
): readonly NodeKind[] {
  const { findings } = bundle;
  const { receipts } = seen;
  const ran = receipts.some(({ receipt }) => receipt.attempts.length > 0);
  if (![DECLARED, ENGINE, MEASURED].some((path) => bundle.has(path))) {
    if (ran) findings.add('BOUNDARY_MISSING', 'boundary', 'the boundary of the boxes', 'none');
    return [];
  }
  const views = bundle.part('boundary', { platform: report.platform }, readBoundary);
  if (views === null) return [];
  checkKinds(views.declared, views.kinds, { run: seen.run, receipts }, findings);
  checkBoxes(seen, new Map(views.standards), findings);
  return views.all;
}

/** The three views, held against the policy and each other, and what boxes of each kind are to look like. */
interface BoundaryViews {
  readonly declared: Declared;
  readonly standards: readonly (readonly [kind: string, Standard])[];
  /** Each kind once. */
  readonly kinds: readonly NodeKind[];
  /** As they were measured. */
  readonly all: readonly NodeKind[];
}

function readBoundary(bundle: Bundle, { platform }: Pick<Report, 'platform'>): BoundaryViews | null {
  const { findings } = bundle;
  const declared = bundle.document(DECLARED, declaredShape);
  const engine = bundle.document(ENGINE, engineShape);
  const measured = bundle.document(MEASURED, measuredShape);
  if (declared === null || engine === null || measured === null) return null;
  checkDeclared(declared, platform, findings);
  const views = new Map<string, NodeKind & { readonly measured: Measured }>();
  measured.views.forEach((view, index) => {
    const key = keyOf(view);
    if (views.has(key)) findings.add('BOUNDARY_KINDS', `${MEASURED}.views[${index}]`, 'each kind once', key);
    views.set(key, view);
    checkMeasurement(
      view.measured,
      policyOf(platform, view),
      `${MEASURED}.views[${index}].measured`,
      findings,
    );
  });
  const forms = seccompForms(declared.seccomp, platform);
  const standards = [...views].map(([key, view]): [string, Standard] => {
    const boundary = policyOf(platform, view);
    return [key, { boundary, seccompForms: forms, absentPaths: absentIn(view.measured, boundary) }];
  });
  checkEngineViews(engine.views, { standards: new Map(standards), measured: views }, findings);
  const kinds = [...views.values()].map(({ node, exec, limits }) => ({ node, exec, limits }));
  return {
    declared,
    standards,
    kinds,
    all: measured.views.map(({ node, exec, limits }) => ({ node, exec, limits })),
  };
}

/** The declared boundaries are those of the format version, and so is the policy that they name. */
function checkDeclared(declared: Declared, platform: Report['platform'], findings: Findings): void {
  const seen = new Set<string>();
  declared.boundaries.forEach(({ boundary, ...kind }, index) => {
    const choice = choiceOf(kind);
    const at = `${DECLARED}.boundaries[${index}]`;
    if (seen.has(choice)) findings.add('BOUNDARY_KINDS', at, 'each kind once', choice);
    seen.add(choice);
    const policy = policyOf(platform, kind);
    for (const field of Object.keys(policy) as readonly (keyof Boundary)[]) {
      const [expected, actual] = [JSON.stringify(policy[field]), showField(boundary, field, policy)];
      findings.same('BOUNDARY_DECLARED', `${at}.boundary.${field}`, expected, actual);
    }
  });
  const digest = digestOf(JSON.parse(JSON.stringify(declared.seccomp)));
  findings.same(
    'BOUNDARY_SECCOMP',
    `${DECLARED}.seccomp`,
    policyOf(platform, { exec: false, limits: [] }).seccompSha256,
    digest,
  );
}

/** Members in canonical order on both sides, so that equal values have equal text. */
function showField(boundary: Boundary, field: keyof Boundary, policy: Boundary): string {
  const [mine, other] = [policy[field], boundary[field]].map((value) =>
    toCanonicalText(JSON.parse(JSON.stringify(value))),
  );
  return mine === other ? JSON.stringify(policy[field]) : String(other);
}

function checkEngineViews(
  engine: readonly (NodeKind & { readonly outside: Outside })[],
  views: {
    readonly standards: ReadonlyMap<string, Standard>;
    readonly measured: ReadonlyMap<string, { readonly measured: Measured }>;
  },
  findings: Findings,
): void {
  const kinds = engine.map(keyOf);
  findings.same('BOUNDARY_KINDS', `${ENGINE}.views`, [...views.measured.keys()].join(', '), kinds.join(', '));
  engine.forEach((view, index) => {
    const { outside } = view;
    const standard = views.standards.get(keyOf(view));
    const measured = views.measured.get(keyOf(view))?.measured;
    const at = `${ENGINE}.views[${index}].outside`;
    if (standard === undefined || measured === undefined) return;
    checkOutside(outside, standard, at, findings);
    // A limit that neither side could read is not known to be in force.
    if (outside.limits === null && Object.values(measured.limits).includes(null)) {
      findings.add('BOUNDARY_LIMITS', `${at}.limits`, 'limits read from one side at least', 'none');
    }
  });
}

/** Every kind of box that a receipt needs was measured, and every kind that was measured was declared. */
function checkKinds(
  declared: Declared,
  views: readonly NodeKind[],
  run: { readonly run: DeclaredRun; readonly receipts: readonly StoredReceipt[] },
  findings: Findings,
): void {
  const measured = views.map(keyOf);
  const wanted = new Set(
    run.receipts
      .filter(({ receipt }) => receipt.attempts.length > 0)
      .map(({ execution }) => keyOf({ ...execution.declared, node: execution.node })),
  );
  for (const kind of wanted) {
    if (!measured.includes(kind)) findings.add('BOUNDARY_KINDS', `${MEASURED}.views`, kind, 'not measured');
  }
  const possible = new Set(run.run.executions.map(({ node, declared: one }) => keyOf({ ...one, node })));
  for (const kind of measured) {
    if (!possible.has(kind))
      findings.add('BOUNDARY_KINDS', `${MEASURED}.views`, 'a kind that a case asks for', kind);
  }
  // In one order too: a list that may be written in several ways is one that may be changed unseen.
  const chosen = [...new Set(views.map(choiceOf))].join(', ');
  const told = declared.boundaries.map(choiceOf).join(', ');
  findings.same('BOUNDARY_KINDS', `${DECLARED}.boundaries`, chosen, told);
}
