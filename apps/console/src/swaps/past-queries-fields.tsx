import { TimeWindowFields } from '../past/time-window-fields.tsx';
import type { TimeWindow } from '../past/time-window.ts';

type Props = Readonly<{ window: TimeWindow; otherwise: string; note?: string; onChange: (window: TimeWindow) => void }>;

/** When the past queries that an evaluation asks were recorded. `otherwise`: which it asks if no time is given. */
export function PastQueriesFields({ window, otherwise, note, onChange }: Props) {
  return (
    <fieldset className="part">
      <legend>Past queries</legend>
      <p className="hint">
        Queries of callers are asked again if the tenant records them: those between these times, or, without a time, {otherwise}.{note}
      </p>
      <div className="field-row">
        <TimeWindowFields window={window} onChange={(part) => onChange({ ...window, ...part })} />
      </div>
    </fieldset>
  );
}
