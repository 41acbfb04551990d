import { SelfIndexError, messageOf } from '../../base/errors.ts';
import type { LabAnswer, LabProgress, LabRequest } from '../types.ts';
import { runRequest } from './run-request.ts';

/**
 * The lab's page: a runner outside calls `selfIndexLab.run`; what happens is also shown in words. Cancelling is closing
 * the page.
 */
export function startLab(status: Element): void {
  const tell = (progress: LabProgress) => {
    status.textContent = `${progress.step}: ${progress.done} of ${progress.total ?? '?'}`;
    void globalThis.reportLabProgress?.(progress);
  };
  globalThis.selfIndexLab = { run: (request) => answer(request, tell) };
  status.textContent = 'Ready: this page is driven by `npm run lab`.';
}

async function answer(request: LabRequest, tell: (progress: LabProgress) => void): Promise<LabAnswer> {
  try {
    return { ok: true, report: await runRequest(request, tell) };
  } catch (error) {
    const code = error instanceof SelfIndexError ? error.code : 'internal';
    return { ok: false, code, message: messageOf(error) };
  }
}
