import { fileURLToPath } from 'node:url';
import js from '@eslint/js';
import ts from 'typescript-eslint';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import { forbidden, layers } from './layers.js';

const folders = layers.flat();
const root = fileURLToPath(new URL('..', import.meta.url));

/** Arrows of import point down: one override per layer, made from the table in .ci/layers.js. */
const downwardImports = folders.map((folder) => ({
  files: [`src/${folder}/**/*.{ts,svelte}`],
  rules: {
    '@typescript-eslint/no-restricted-imports': [
      'error',
      {
        patterns: forbidden(folder).map((above) => ({
          regex: `^(\\.\\./)+${above}/`,
          message: `src/${folder} must not import from src/${above}: arrows point down (docs/architecture.md).`,
        })),
      },
    ],
  },
}));

const browserOnly = ['window', 'document', 'indexedDB', 'navigator', 'localStorage', 'sessionStorage'];

export default ts.config(
  {
    ignores: [
      'dist/',
      'node_modules/',
      '.cache/',
      'public/models/',
      'src/kernel/assembly/',
      'test-results/',
      'playwright-report/',
    ],
  },
  js.configs.recommended,
  ...ts.configs.recommendedTypeChecked,
  ...svelte.configs.recommended,
  {
    languageOptions: {
      globals: { ...globals.browser, ...globals.worker, ...globals.node },
      parserOptions: { projectService: true, tsconfigRootDir: root, extraFileExtensions: ['.svelte'] },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      eqeqeq: ['error', 'always'],
    },
  },
  { files: ['**/*.svelte', '**/*.svelte.ts'], languageOptions: { parserOptions: { parser: ts.parser } } },
  {
    // The linter sees every imported component as `any`; svelte-check knows their types and checks them.
    files: ['**/*.svelte'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  { files: ['**/*.js', '**/*.mjs'], ...ts.configs.disableTypeChecked },
  ...downwardImports,
  {
    // The core runs in a worker, in Node and in a test: only the rims may touch the page or the browser.
    files: ['src/**/*.ts'],
    ignores: [
      'src/app/**',
      'src/widget/**',
      'src/**/browser/**',
      'src/lab/page/**',
      'src/store/indexeddb*.ts',
    ],
    rules: {
      'no-restricted-globals': [
        'error',
        ...browserOnly.map((name) => ({
          name,
          message: 'Browser globals belong to the rims (docs/architecture.md).',
        })),
      ],
    },
  },
);
