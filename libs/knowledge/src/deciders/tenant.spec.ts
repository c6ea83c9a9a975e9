import { NOW } from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import { NotFound } from '../errors.ts';
import type { TenantEvent } from '../events/tenant-events.ts';
import { tenant } from './tenant.ts';

const { given } = specify(tenant);
const key = { keyId: 'key-1', name: 'CI', hash: 'a'.repeat(64), teams: ['red'], roles: ['writer'] as const };
const issued: TenantEvent = { type: 'ApiKeyIssued', data: { ...key, issuedAt: NOW } };
const revoked: TenantEvent = { type: 'ApiKeyRevoked', data: { keyId: 'key-1', revokedAt: NOW } };

describe('the keys of a tenant', () => {
  it('are issued once', () => void given().when({ type: 'IssueKey', key, now: NOW }).then(issued).when({ type: 'IssueKey', key, now: NOW }).then());
  it('are revoked once, and for ever', () =>
    void given(issued).when({ type: 'RevokeKey', keyId: 'key-1', now: NOW }).then(revoked).when({ type: 'RevokeKey', keyId: 'key-1', now: NOW }).then().when({ type: 'IssueKey', key, now: NOW }).then());
  it('must be there to be revoked', () => given(issued).when({ type: 'RevokeKey', keyId: 'key-2', now: NOW }).thenRefuses(NotFound, /no API key "key-2"/));
});
