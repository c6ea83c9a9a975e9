import type { FleetView } from '@palimpsest/client';
import { count, counted } from '../format/format.ts';
import { StatusBadge } from '../ui/status-badge.tsx';

type Props = Readonly<{ fleet: FleetView }>;

/** The waves of a fleet, each with its scopes by state. */
export function FleetWaves({ fleet: { id, waves } }: Props) {
  return (
    <div className="table-box" role="region" aria-label={`Waves of fleet ${id}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Wave</th>
            <th scope="col">Status</th>
            <th scope="col" className="number">
              Scopes
            </th>
            <th scope="col">By state</th>
          </tr>
        </thead>
        <tbody>
          {waves.map(({ name, state, scopes, tenants, counts }, index) => (
            <tr key={name}>
              <th scope="row">
                {index + 1}: {name}
              </th>
              <td>
                <StatusBadge status={state} />
              </td>
              <td className="number">
                {count(scopes)}
                <span className="under">{counted(tenants, 'tenant')}</span>
              </td>
              <td>
                {Object.entries(counts)
                  .map(([each, number]) => `${count(number)} ${each}`)
                  .join(', ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Scopes that wait for a person, or that the fleet does nothing with. One that the key may not read has no name. */
export function FleetAttention({ fleet: { id, needsAttention } }: Props) {
  const { total, scopes } = needsAttention;
  if (total === 0) return null;
  return (
    <section aria-label={`Scopes of fleet ${id} that need attention`}>
      <h3>{counted(total, 'scope')} to look at</h3>
      <ul>
        {scopes.map(({ tenant, scope, wave, state, reason }, index) => (
          <li key={index} className="breakable">
            <StatusBadge status={state} /> {tenant} {scope ?? '(a scope that this key may not read)'}, wave {wave}
            {reason !== undefined && `: ${reason}`}
          </li>
        ))}
      </ul>
      {total > scopes.length && <p className="muted">{counted(total - scopes.length, 'more scope')}.</p>}
    </section>
  );
}
