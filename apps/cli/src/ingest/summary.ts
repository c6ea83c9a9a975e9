import type { DocumentView, LeftOut, WaitResult } from '@palimpsest/client';
import { describeLeftOut } from './describe-left-out.ts';
import { cut } from '../render/highlight.ts';
import type { Output } from '../render/output.ts';
import { refusedChunks } from '../render/refused-chunks.ts';
import type { Upload } from './upload-files.ts';

export type Failure = Readonly<{ source: string; code: string; detail: string }>;

/**
 * The counts add up to `files`; `failed` includes `notAccepted`. `accepted`: not waited for (--no-wait), or deleted in the meantime.
 * `notAccepted`: the server accepted nothing for too long; the same command sends them again.
 */
export type Summary = Readonly<{
  knowledgeBase: string;
  files: number;
  indexed: number;
  skipped: number;
  failed: number;
  notAccepted: number;
  accepted: number;
  chunks: number;
  failedChunks: number;
  withoutVector: number;
  failures: readonly Failure[];
  /** Files and folders that were not sent, with the reasons. */
  leftOut: readonly LeftOut[];
}>;

export const summarise = (
  knowledgeBase: string,
  uploads: readonly Upload[],
  waited: WaitResult | undefined,
  leftOut: readonly LeftOut[] = [],
): Summary => {
  const sources = new Map(uploads.flatMap((upload) => ('code' in upload ? [] : [[upload.documentId, upload.file.sourceId]])));
  const settled = waited?.documents ?? [];
  const indexed = settled.filter(({ status }) => status === 'indexed');
  const sum = (of: (document: DocumentView) => number): number => indexed.reduce((total, document) => total + of(document), 0);
  const refused = uploads.filter((upload) => 'code' in upload);
  const failures: Failure[] = [
    ...refused.map(({ file, code, detail }) => ({ source: file.sourceId, code, detail })),
    ...settled
      .filter(({ status }) => status === 'failed')
      .map(({ documentId, sourceId, reason, detail }) => ({
        source: sources.get(documentId) ?? sourceId,
        code: reason ?? 'Failed',
        detail: detail ?? '',
      })),
  ];
  return {
    knowledgeBase,
    files: uploads.length,
    indexed: indexed.length,
    skipped: uploads.filter(({ outcome }) => outcome === 'skipped').length,
    failed: failures.length,
    notAccepted: uploads.filter(({ outcome }) => outcome === 'notAccepted').length,
    accepted: uploads.filter(({ outcome }) => outcome === 'accepted').length - settled.length,
    chunks: sum(({ chunks }) => chunks),
    failedChunks: sum(({ failedChunks }) => failedChunks),
    withoutVector: sum(({ withoutVector }) => withoutVector),
    failures: failures.sort((a, b) => (a.source < b.source ? -1 : 1)),
    leftOut,
  };
};

/** Prints the summary table, then the failed files, grouped by reason. */
export const printSummary = (output: Output, summary: Summary): void => {
  const { indexed, skipped, failed, accepted, chunks, knowledgeBase } = summary;
  const { green, yellow, red, bold } = output.colors;
  const row = (name: string, count: number, remark: string): (string | number)[] => [name, count, remark];
  output.table(
    [`into ${knowledgeBase}`, 'documents', ''],
    [
      row(green('indexed'), indexed, indexed === 0 ? '' : `${chunks} chunks${refusedChunks(summary)}`),
      row('skipped', skipped, skipped === 0 ? '' : 'unchanged'),
      ...(accepted === 0 ? [] : [row(yellow('accepted'), accepted, 'processing')]),
      row(failed === 0 ? 'failed' : red('failed'), failed, ''),
    ],
  );
  for (const [code, group] of Map.groupBy(summary.failures, (failure) => failure.code)) {
    output.line();
    output.line(`${bold(code)} (${group.length})`);
    for (const { source, detail } of group) output.line(cut(`  ${source}${detail === '' ? '' : `: ${detail}`}`, 300));
  }
  if (summary.leftOut.length > 0) {
    output.line();
    output.line(`${bold('left out')} (${summary.leftOut.length})`);
    for (const line of describeLeftOut(summary.leftOut)) output.line(cut(`  ${line}`, 300));
  }
  if (summary.notAccepted === 0) return;
  output.line();
  output.line(
    `${summary.notAccepted} documents were not accepted. Run the same command again to continue: accepted documents are skipped.`,
  );
};
