// `npm test`: static checks, the build, unit and browser tests (Vitest), tests of the built app (Playwright); one line of sums at the end.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { ensureChromium } from './ensure-chromium.js';

const sums = { passed: 0, failed: 0, skipped: 0 };
const vitestReport = '.cache/test/vitest.json';
const playwrightReport = '.cache/test/playwright.json';

function run(name, command, args, env = {}) {
  const start = Date.now();
  console.log(`\n== ${name}: ${command} ${args.join(' ')}`);
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  console.log(
    `== ${name}: ${status === 0 ? 'ok' : 'FAILED'} in ${((Date.now() - start) / 1000).toFixed(1)} s`,
  );
  return status === 0;
}

/** A step without tests of its own counts as one. */
function step(name, command, args) {
  const ok = run(name, command, args);
  sums[ok ? 'passed' : 'failed']++;
  return ok;
}

/** Adds a runner's sums; a runner that failed without a failed test (a crash, an unhandled error) counts as one failure. */
function tally(ok, read) {
  try {
    const { passed, failed, skipped } = read();
    sums.passed += passed;
    sums.failed += failed + (!ok && failed === 0 ? 1 : 0);
    sums.skipped += skipped;
  } catch (error) {
    console.error(`No report: ${error.message}`);
    sums.failed++;
  }
}

const json = (path) => JSON.parse(readFileSync(path, 'utf8'));

ensureChromium();
rmSync('.cache/test', { recursive: true, force: true });
mkdirSync('.cache/test', { recursive: true });

step('types', 'npx', ['tsc', '-p', '.']);
step('svelte-check', 'npx', ['svelte-check', '--tsconfig', './tsconfig.json', '--fail-on-warnings']);
step('lint', 'npx', ['eslint', '-c', '.ci/eslint.config.js', '.']);
step('format', 'npx', ['prettier', '--check', '--log-level', 'warn', '.']);
const built = step('build', 'npm', ['run', 'build', '--', '--logLevel', 'warn']);
if (built) step('size', 'npm', ['run', '--silent', 'size']);

const unit = run('vitest', 'npx', [
  'vitest',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${vitestReport}`,
]);
tally(unit, () => {
  const report = json(vitestReport);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  };
});

if (built) {
  const e2e = run(
    'playwright',
    'npx',
    ['playwright', 'test', '-c', 'test/e2e/playwright.config.ts', '--reporter=list,json'],
    {
      PLAYWRIGHT_JSON_OUTPUT_FILE: playwrightReport,
    },
  );
  tally(e2e, () => {
    const { expected, unexpected, flaky, skipped } = json(playwrightReport).stats;
    return { passed: expected + flaky, failed: unexpected, skipped };
  });
}

console.log(`\n${sums.passed} passed, ${sums.failed} failed, ${sums.skipped} skipped`);
process.exit(sums.failed === 0 ? 0 : 1);
