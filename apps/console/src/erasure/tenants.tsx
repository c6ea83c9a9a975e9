import { useState } from 'react';
import type { FormEvent } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { counted } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { ConfirmByName } from './confirm-by-name.tsx';
import { ErasureProgress } from './erasure-progress.tsx';
import { useTenantErasure } from './use-erasures.ts';

/** Erases a tenant, and shows how far the erasure of one is. For operators. There is no list: operators know the names of their tenants. */
export function Tenants() {
  const [entered, setEntered] = useState('');
  const [tenant, setTenant] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTenant(entered.trim());
  };
  return (
    <section aria-labelledby="tenants">
      <h2 id="tenants">Tenants</h2>
      <div className="letters">
        <form className="card" onSubmit={submit}>
          <Field label="Tenant" hint="Its name, also of one that is erased. The own tenant and default cannot be erased.">
            {(given) => (
              <input
                {...given}
                required
                value={entered}
                autoComplete="off"
                spellCheck={false}
                onChange={({ target }) => setEntered(target.value)}
              />
            )}
          </Field>
          <p>
            <button type="submit" className="button">
              Show
            </button>
          </p>
        </form>
        {tenant !== undefined && tenant !== '' && <Tenant key={tenant} tenant={tenant} />}
      </div>
    </section>
  );
}

function Tenant({ tenant }: Readonly<{ tenant: string }>) {
  const { client } = useSession();
  const { data, error, isPending } = useTenantErasure(tenant);
  const [asking, setAsking] = useState(false);
  return (
    <article className="card letter" aria-labelledby="tenant">
      <h3 className="breakable" id="tenant">
        {tenant}
      </h3>
      <ProblemNotice error={error} />
      <div role="status">
        {isPending && <p className="muted">Loading…</p>}
        {data && (
          <>
            {data.scopes && <p>{counted(data.scopes.length, 'scope')} erased.</p>}
            <ErasureProgress of={tenant} erasure={data} getReceipt={() => client.erasures.receiptOfTenant(tenant)} />
          </>
        )}
        {data === null && <p>It is not being erased.</p>}
      </div>
      {data === null && (
        <p>
          <button type="button" className="button danger" onClick={() => setAsking(true)}>
            Erase this tenant
          </button>
        </p>
      )}
      {asking && data === null && <EraseTenant tenant={tenant} onClose={() => setAsking(false)} />}
    </article>
  );
}

function EraseTenant({ tenant, onClose }: Readonly<{ tenant: string; onClose: () => void }>) {
  const { client } = useSession();
  const queries = useQueryClient();
  const erase = useMutation({
    mutationFn: () => client.erasures.startOfTenant(tenant, tenant),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  return (
    <ConfirmByName
      title={`Erase the tenant ${tenant}?`}
      name={tenant}
      label="Name of the tenant"
      busy={erase.isPending}
      error={erase.error}
      onConfirm={() => erase.mutate()}
      onClose={onClose}
    >
      <p>
        Its API keys are revoked, and the keys of all of its scopes are destroyed. No one can read anything of the tenant any more: on the
        log, in uploads, snapshots and exports. Then the files are removed, and receipts are signed.
      </p>
      <p>
        <strong>This cannot be undone or stopped</strong>, and the tenant gets no new API keys.
      </p>
    </ConfirmByName>
  );
}
