import { NOW } from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import { NotFound } from '../errors.ts';
import { ScopeKeyDestroyed } from '../ports/scope-keys.ts';
import { vectorScope } from '../values/scope.ts';
import type { TenantEvent } from '../events/tenant-events.ts';
import type { LimitOverrides } from '../values/limits.ts';
import { tenant } from './tenant.ts';

const { given } = specify(tenant);
const key = { keyId: 'key-1', name: 'CI', hash: 'a'.repeat(64), teams: ['red'], roles: ['writer'] as const };
const issued: TenantEvent = { type: 'ApiKeyIssued', data: { ...key, issuedAt: NOW } };
const revoked: TenantEvent = { type: 'ApiKeyRevoked', data: { keyId: 'key-1', revokedAt: NOW } };

describe('the keys of a tenant', () => {
  it('are issued once', () =>
    void given().when({ type: 'IssueKey', key, now: NOW }).then(issued).when({ type: 'IssueKey', key, now: NOW }).then());
  it('are revoked once and permanently', () =>
    void given(issued)
      .when({ type: 'RevokeKey', keyId: 'key-1', now: NOW })
      .then(revoked)
      .when({ type: 'RevokeKey', keyId: 'key-1', now: NOW })
      .then()
      .when({ type: 'IssueKey', key, now: NOW })
      .then());
  it('must exist to be revoked', () =>
    given(issued)
      .when({ type: 'RevokeKey', keyId: 'key-2', now: NOW })
      .thenRefuses(NotFound, /API key "key-2" not found/));
});

describe('the limits of a tenant', () => {
  const set = (tier: string | undefined, overrides: LimitOverrides = {}) => ({ ...(tier === undefined ? {} : { tier }), overrides });
  const command = (...limits: Parameters<typeof set>) => ({ type: 'SetLimits' as const, limits: set(...limits), now: NOW });
  const event = (...limits: Parameters<typeof set>): TenantEvent => ({ type: 'TenantLimitsSet', data: { ...set(...limits), setAt: NOW } });

  it('can be set before a key exists', () =>
    void given().when(command('pro')).then(event('pro')).when({ type: 'IssueKey', key, now: NOW }).then(issued));
  it('replace the previous limits completely', () =>
    void given(event('pro', { weight: 4 }))
      .when(command('free', { quotas: { documents: 5 } }))
      .then(event('free', { quotas: { documents: 5 } }))
      .when(command(undefined))
      .then(event(undefined)));
  it('are set once, independent of the order of fields', () => {
    given(event('pro', { weight: 4, quotas: { documents: 5, chunks: null } }))
      .when(command('pro', { quotas: { chunks: null, documents: 5 }, weight: 4 }))
      .then();
    given().when(command(undefined)).then();
  });
  it('do not affect its keys', () => void given(issued, event('pro')).when({ type: 'RevokeKey', keyId: 'key-1', now: NOW }).then(revoked));
});

describe('the erasure of a tenant', () => {
  const erasure = '0f8fad5b-d9cb-469f-a165-70867728950e';
  const scopes = [vectorScope('team:red')];
  const requested: TenantEvent = { type: 'TenantErasureRequested', data: { erasure, requestedAt: NOW } };
  const erased: TenantEvent = { type: 'TenantErased', data: { erasure, scopes, erasedAt: NOW } };
  const completed: TenantEvent = { type: 'TenantErasureCompleted', data: { erasure, receipt: '{}', completedAt: NOW } };
  const request = { type: 'RequestErasure', erasure, now: NOW } as const;
  const record = { type: 'RecordErased', scopes, now: NOW } as const;
  const complete = { type: 'CompleteErasure', receipt: '{}', now: NOW } as const;

  it('revokes its keys, happens and is completed once each', () =>
    void given(issued)
      .when(request)
      .then(requested, revoked)
      .when({ ...request, erasure: 'another' })
      .then()
      .when(complete)
      .then()
      .when(record)
      .then(erased)
      .when(record)
      .then()
      .when(complete)
      .then(completed)
      .when(complete)
      .then());

  it('is not recorded without a request', () => void given(issued).when(record).then());

  it('refuses new keys and limits from then on', () => {
    given(requested)
      .when({ type: 'IssueKey', key, now: NOW })
      .thenRefuses(ScopeKeyDestroyed, /tenant was erased/);
    given(requested)
      .when({ type: 'SetLimits', limits: { overrides: {} }, now: NOW })
      .thenRefuses(ScopeKeyDestroyed, /tenant was erased/);
  });
});
