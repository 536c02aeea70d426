import { BIN_FAULTS } from './bin-faults.ts';
import type { FaultPackage } from './fault-package.ts';
import { FILE_FAULTS } from './file-faults.ts';
import { GOOD_PACKAGES } from './good-packages.ts';
import { MCP_FAULTS } from './mcp-faults.ts';
import { RUNTIME_FAULTS } from './runtime-faults.ts';

export type { ExpectedCheck, FaultPackage, Oracle, PackageFile } from './fault-package.ts';

/** Every fault and every good control, each with a name of its own. Loop over it. */
export const FAULT_PACKAGES: readonly FaultPackage[] = [
  ...FILE_FAULTS,
  ...BIN_FAULTS,
  ...RUNTIME_FAULTS,
  ...MCP_FAULTS,
  ...GOOD_PACKAGES,
];
