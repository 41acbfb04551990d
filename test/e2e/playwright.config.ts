import { fileURLToPath } from 'node:url';
import { defineConfig, devices } from '@playwright/test';
import { chromiumLaunch } from '../../.ci/chromium.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The built app as `vite preview` serves it (build first), and the harness of the kill test. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: '../../test-results',
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 30_000 },
  reporter: 'list',
  use: {
    ...devices['Desktop Chrome'],
    channel: undefined,
    viewport: { width: 1280, height: 800 },
    baseURL: 'http://localhost:4173',
    launchOptions: chromiumLaunch(),
    trace: 'retain-on-failure',
  },
  webServer: [
    { command: 'npx vite preview', cwd: root, url: 'http://localhost:4173', stdout: 'ignore' },
    {
      command:
        'npx vite build --config test/e2e/harness/vite.config.ts && npx vite preview --config test/e2e/harness/vite.config.ts',
      timeout: 180_000,
      cwd: root,
      url: 'http://localhost:4174',
      stdout: 'ignore',
    },
  ],
});
