// Makes sure that there is a Chromium: Playwright's, else one of the system's, else it fetches one (Playwright's, else the distribution's package).
import { spawnSync } from 'node:child_process';
import { chromiumPath } from './chromium.js';

const minutes = 60_000;

function attempt(command, args) {
  console.log(`> ${command} ${args.join(' ')}`);
  return spawnSync(command, args, { stdio: 'inherit', timeout: 10 * minutes }).status === 0;
}

export function ensureChromium() {
  if (chromiumPath()) return;
  attempt('npx', ['playwright', 'install', 'chromium']);
  if (chromiumPath()) return;
  if (process.platform === 'linux') {
    const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
    const [first, ...rest] = [...sudo, 'apt-get'];
    attempt(first, [...rest, 'update', '-qq']);
    attempt(first, [...rest, 'install', '-y', '-qq', '--no-install-recommends', 'chromium']);
  }
  if (!chromiumPath()) {
    console.error(
      'The tests need Chromium. Install one, or name it: CHROMIUM_PATH=/path/to/chromium npm test',
    );
    process.exit(1);
  }
}
