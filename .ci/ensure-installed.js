// Runs before `npm start` and `npm test` on plain Node: installs the packages when the lockfile is newer than what is there.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const stamp = 'node_modules/.self-index-lock';
const wanted = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  const { status } = spawnSync('npm', ['ci', '--no-fund', '--no-audit'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stamp, wanted);
}
