import { type ManifestContext, placeOf } from './context.ts';
import type { InstallScript } from './facts.ts';
import { isJsonObject, type JsonObject } from './strict-json.ts';

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'] as const;
const IMPLICIT_BUILD = 'node-gyp rebuild';

/** The install scripts that package.json itself names. */
export function listInstallCommands(manifest: JsonObject): readonly InstallScript[] {
  const value = manifest.get('scripts');
  if (!isJsonObject(value)) return [];
  return INSTALL_SCRIPTS.flatMap((name): readonly InstallScript[] => {
    const command = value.get(name);
    return typeof command === 'string' && command.trim() !== '' ? [{ name, command, implicit: false }] : [];
  });
}

/** Lists what npm would run at install, the build that `binding.gyp` alone causes included. */
export function checkScripts(context: ManifestContext): readonly InstallScript[] {
  const scripts = [...listInstallCommands(context.manifest)];
  for (const { name, command } of scripts) {
    context.findings.add('INSTALL_SCRIPT', placeOf('scripts', name), { expected: 'none', actual: command });
  }
  // npm adds the build only when neither install nor preinstall is there.
  const hasOwn = scripts.some((script) => script.name !== 'postinstall');
  if (!hasOwn && context.files.has('binding.gyp') && context.manifest.get('gypfile') !== false) {
    scripts.push({ name: 'install', command: IMPLICIT_BUILD, implicit: true });
    context.findings.add('INSTALL_SCRIPT_IMPLICIT', context.files.toArchivePath('binding.gyp'), {
      expected: '"gypfile": false',
      actual: IMPLICIT_BUILD,
    });
  }
  return scripts;
}
