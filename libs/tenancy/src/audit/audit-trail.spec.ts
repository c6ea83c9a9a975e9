import { auditStream, deniedStream } from '@palimpsest/knowledge/deciders';
import type { AccessRecord } from '@palimpsest/knowledge/events';
import type { StreamName } from '@palimpsest/knowledge/ports';
import { tenantId } from '@palimpsest/knowledge/values';
import { aJournal, InMemoryEventLog } from '@palimpsest/test-kit';
import { AuditTrail, type AuditOptions } from './audit-trail.ts';
import type { AuditedRequest } from './entry-batch.ts';

const TENANT = tenantId('acme');
const AT = '2026-11-22T08:00:00.000Z';
const aRequest = (over: Partial<AuditedRequest> = {}): AuditedRequest => ({
  actor: 'key:ci',
  method: 'GET',
  operation: '/v1/documents/:id',
  targets: ['d1'],
  status: 200,
  at: AT,
  from: '192.0.2.1',
  requestId: 'r-1',
  ...over,
});

describe('the audit trail', () => {
  let log: InMemoryEventLog;
  let faults: unknown[];
  let trail: AuditTrail;
  const open = (over: Partial<AuditOptions> = {}): AuditTrail =>
    (trail = new AuditTrail(aJournal(log), {
      retentionSeconds: 60,
      readsPerDay: 100,
      onError: (error) => faults.push(error),
      gatherMs: 60_000,
      ...over,
    }));
  const entries = async (stream: StreamName = auditStream(TENANT)): Promise<readonly AccessRecord[]> => {
    const found: AccessRecord[] = [];
    for await (const { event } of aJournal(log).readStream(stream)) if (event.type === 'AccessRecorded') found.push(event.data);
    return found;
  };

  beforeEach(() => {
    log = new InMemoryEventLog();
    faults = [];
    open();
  });

  it('writes a change to the log before the response', async () => {
    await trail.change(TENANT, aRequest({ method: 'POST', operation: '/v1/api-keys' }));
    expect(await entries()).toEqual([{ ...aRequest({ method: 'POST', operation: '/v1/api-keys' }), count: 1 }]);
  });

  it('combines equal reads within a short time into one entry with their count', async () => {
    for (const id of ['r-1', 'r-2', 'r-3']) trail.read(TENANT, aRequest({ requestId: id, at: `2026-11-22T08:00:00.00${id.at(-1)}Z` }));
    trail.read(TENANT, aRequest({ targets: ['d2'], requestId: 'r-4', at: '2026-11-22T08:00:00.009Z' }));
    await trail.stop();
    expect(await entries()).toEqual([
      { ...aRequest({ at: '2026-11-22T08:00:00.001Z' }), count: 3, until: '2026-11-22T08:00:00.003Z' },
      { ...aRequest({ targets: ['d2'], requestId: 'r-4', at: '2026-11-22T08:00:00.009Z' }), count: 1 },
    ]);
  });

  it('records how many reads were only counted', async () => {
    open({ readsPerDay: 2 });
    for (const id of ['a', 'b', 'c', 'd']) trail.read(TENANT, aRequest({ targets: [id] }));
    await trail.stop();
    const [first, ...others] = await entries();
    expect([first?.dropped, others.length]).toEqual([2, 1]);
  });

  it('records every change, even if reads were dropped', async () => {
    open({ readsPerDay: 0 });
    for (let i = 0; i < 50; i++) trail.read(TENANT, aRequest({ targets: [`d${i}`] }));
    await trail.change(TENANT, aRequest({ method: 'DELETE', operation: '/v1/api-keys/:keyId' }));
    expect(await entries()).toEqual([expect.objectContaining({ method: 'DELETE', dropped: 50 })]);
  });

  it('keeps the entries of each tenant in a separate stream', async () => {
    await trail.change(TENANT, aRequest());
    await trail.change(tenantId('other'), aRequest({ actor: 'key:other' }));
    expect((await entries()).map(({ actor }) => actor)).toEqual(['key:ci']);
  });

  it('limits what a caller without a key can write, and counts the rest', async () => {
    for (let i = 0; i < 1_000; i++) trail.denied(aRequest({ actor: 'anonymous', status: 401, from: `192.0.2.${i % 250}` }));
    await trail.stop();
    const recorded = await entries(deniedStream());
    expect(recorded).toHaveLength(10);
    expect(recorded.reduce((sum, { count, dropped = 0 }) => sum + count + dropped, 0)).toBe(1_000);
    expect(await entries()).toEqual([]);
  });

  it('writes a change later if the log was unavailable, and counts the reads of that time', async () => {
    const append = log.append.bind(log);
    log.append = async () => Promise.reject(new Error('away'));
    trail.read(TENANT, aRequest());
    await trail.change(TENANT, aRequest({ method: 'POST', operation: '/v1/api-keys' }));
    expect(faults).toHaveLength(1);
    log.append = append;
    await trail.stop();
    expect(await entries()).toEqual([expect.objectContaining({ method: 'POST', dropped: 1 })]);
  });

  it('limits the age of its entries', async () => {
    const limits: unknown[] = [];
    log.setRetention = async (stream, seconds) => void limits.push([stream, seconds]);
    await trail.change(TENANT, aRequest());
    await trail.change(TENANT, aRequest());
    expect(limits).toEqual([[auditStream(TENANT), 60]]);
  });
});
