import type { SwapPlanList, SwapPlanTenants, SwapPlanView } from '@palimpsest/client';
import type { Output } from './output.ts';
import { sizeOf } from './size.ts';

export const costOf = (cost: number | undefined): string =>
  cost === undefined ? 'unknown: the model has no price' : `$${cost.toFixed(4)}`;

export const duration = (seconds: number): string =>
  seconds < 120
    ? `${Math.ceil(seconds)} s`
    : seconds < 7_200
      ? `${Math.ceil(seconds / 60)} minutes`
      : `${(seconds / 3_600).toFixed(1)} hours`;

export const spaceOf = ({ vectors, memory, disk }: SwapPlanView['bytes']): string =>
  memory === undefined || disk === undefined
    ? `${sizeOf(vectors)} of vectors; the index is a server, which adds its own`
    : `${sizeOf(memory)} of memory, ${sizeOf(disk)} of disk, until the old generation is retired`;

export const showTenants = (output: Output, { tenants, total }: Pick<SwapPlanTenants, 'tenants' | 'total'>): void => {
  output.table(
    ['tenant', 'scopes', 'documents', 'chunks', 'tokens', 'reused', 'cost', 'time'],
    tenants.map(({ tenant, scopes, documents, chunks, tokens, reusable, cost, seconds }) => [
      tenant,
      scopes,
      documents,
      chunks,
      tokens,
      reusable,
      ...amounts(cost, seconds),
    ]),
  );
  showTotal(output, total);
};

export const showTotal = (output: Output, { scopes, chunks, tokens, cost, seconds, bytes }: SwapPlanList['total']): void => {
  output.line(
    `total       ${scopes} scopes, ${chunks} chunks, ${tokens} tokens to embed, ${costOf(cost)}${seconds === undefined ? '' : `, about ${duration(seconds)}`}`,
  );
  output.line(`space       ${spaceOf(bytes)}`);
};

export const amounts = (cost: number | undefined, seconds: number | undefined): readonly string[] => [
  cost === undefined ? '' : `$${cost.toFixed(4)}`,
  seconds === undefined ? '' : duration(seconds),
];
