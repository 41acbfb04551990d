import { SelfIndexError, messageOf } from '../../base/errors.ts';
import type { LabAnswer, LabProgress } from '../types.ts';
import { runJudges } from './run-judges.ts';
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
  globalThis.selfIndexLab = {
    run: (request) => answer(runRequest(request, tell)),
    judge: (request) => answer(runJudges(request, tell)),
  };
  status.textContent = 'Ready: this page is driven by `npm run lab`.';
}

async function answer<Report>(work: Promise<Report>): Promise<LabAnswer<Report>> {
  try {
    return { ok: true, report: await work };
  } catch (error) {
    const code = error instanceof SelfIndexError ? error.code : 'internal';
    return { ok: false, code, message: messageOf(error) };
  }
}
