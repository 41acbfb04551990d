import { chromium, type Browser, type Page } from 'playwright';
import { chromiumLaunch, chromiumPath } from '../../../.ci/chromium.js';
import { SelfIndexError, messageOf } from '../../base/errors.ts';
import type { JudgeReport } from '../judges/measure-judges.ts';
import type { ExperimentReport } from '../report.ts';
import type { JudgesRequest, LabAnswer, LabProgress, LabRequest } from '../types.ts';

export interface LabBrowserOptions {
  readonly url: string;
  readonly onProgress: (progress: LabProgress) => void;
  /** What the page and its workers log. */
  readonly onLog?: (line: string) => void;
  /** Ends whatever runs. */
  readonly signal: AbortSignal;
}

/** The lab page in a headless Chromium. */
export class LabBrowser {
  private constructor(
    private readonly browser: Browser,
    private readonly page: Page,
    private readonly ended: Promise<never>,
  ) {}

  static async open({ url, onProgress, onLog, signal }: LabBrowserOptions): Promise<LabBrowser> {
    if (chromiumPath() === undefined)
      throw new SelfIndexError(
        'device-unsupported',
        'There is no Chromium: run `npx playwright install chromium`, or name one in CHROMIUM_PATH.',
      );
    const browser = await chromium.launch({ ...chromiumLaunch(), handleSIGINT: false });
    try {
      const page = await browser.newPage();
      if (onLog) page.on('console', (message) => onLog(message.text()));
      const ended = new Promise<never>((_, reject) => {
        const fail = (what: string) => reject(new SelfIndexError('worker-failed', what));
        page.on('crash', () => fail('The page crashed, probably for want of memory.'));
        page.on('pageerror', (error) => fail(`The page failed: ${messageOf(error)}`));
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        browser.on('disconnected', () => fail('The browser ended.'));
      });
      ended.catch(() => {}); // heard by the next call of `run`, if there is one
      signal.throwIfAborted();
      await page.exposeFunction('reportLabProgress', onProgress);
      await page.goto(url);
      await page.waitForFunction('globalThis.selfIndexLab');
      return new LabBrowser(browser, page, ended);
    } catch (error) {
      await browser.close();
      throw error;
    }
  }

  /** @throws what the page answered as a failure, `worker-failed` when it died, or the signal's reason. */
  async run(request: LabRequest): Promise<ExperimentReport> {
    return this.reportOf(this.page.evaluate((asked) => globalThis.selfIndexLab.run(asked), request));
  }

  /** @throws as `run` */
  async judge(request: JudgesRequest): Promise<readonly JudgeReport[]> {
    return this.reportOf(this.page.evaluate((asked) => globalThis.selfIndexLab.judge(asked), request));
  }

  private async reportOf<Report>(answering: Promise<LabAnswer<Report>>): Promise<Report> {
    const answer = await Promise.race([answering, this.ended]);
    if (answer.ok) return answer.report;
    throw new SelfIndexError(answer.code, answer.message);
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}
