import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../document/assets.ts';
import { toFindingsDocument } from './document.ts';

writeFileSync(join(packageRoot(), 'docs', 'audit-findings.md'), toFindingsDocument());
