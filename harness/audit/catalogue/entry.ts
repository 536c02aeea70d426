import type { Severity } from '../severity.ts';

/** What a finding code means, once and for all; findings carry only the code and what was seen. */
export interface CatalogueEntry {
  /** `gate`: a fault for every user. `warn`: a fault for some, or likely one. `info`: a fact worth knowing. */
  readonly severity: Severity;
  /** Installing such an archive is dangerous, or installs something else than the audit could read. */
  readonly unsafe: boolean;
  readonly title: string;
  readonly why: string;
  readonly advice: string;
  readonly source: string;
}

export type Catalogue = Readonly<Record<string, CatalogueEntry>>;
