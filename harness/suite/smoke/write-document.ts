import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../document/assets.ts';
import { toSmokeChecksDocument } from './document.ts';

const path = join(packageRoot(), 'docs', 'smoke-checks.md');
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, toSmokeChecksDocument());
