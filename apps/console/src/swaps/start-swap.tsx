import { useState } from 'react';
import type { FormEvent } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SwapView } from '@palimpsest/client';
import { ANY_TIME, isLimited, timesIn, type TimeWindow } from '../past/time-window.ts';
import { useSession } from '../session/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { ChunkingChoiceFields } from './chunking-choice.tsx';
import { PastQueriesFields } from './past-queries-fields.tsx';
import { chunkingIn, PRESENT } from './swap-chunking.ts';

type Cutover = 'manual' | 'gate' | 'automatic' | 'companion';
type Props = Readonly<{ view: SwapView; onClose: () => void; onDone: (what: string) => void }>;

/** Only the evaluation of a gate asks past queries, and a plan does not keep which. */
const askedBy = (cutover: Cutover, past: TimeWindow) => (cutover === 'gate' && isLimited(past) ? { pastQueries: timesIn(past) } : {});

/** Asks for the new model and chunking of a scope, and how searches move to them. */
export function StartSwap({ view: { scope, generations }, onClose, onDone }: Props) {
  const { client } = useSession();
  const queries = useQueryClient();
  const { data: models, error } = useQuery({ queryKey: ['models'], queryFn: ({ signal }) => client.models.list({ signal }) });
  const active = generations.find(({ status }) => status === 'active')?.embeddingVersion;
  const others = models?.filter(({ version, available }) => available && version !== active) ?? [];
  const [chosen, setChosen] = useState<string>();
  const [chunking, setChunking] = useState(PRESENT);
  const [cutover, setCutover] = useState<Cutover>('manual');
  const [past, setPast] = useState(ANY_TIME);
  const version = chosen ?? others[0]?.version ?? active;
  const isChange = version !== active || chunking.kind !== 'present';
  const target = { ...(version === undefined ? {} : { embeddingVersion: version }), ...chunkingIn(chunking), cutover };
  const asked = askedBy(cutover, past);
  const start = useMutation({
    mutationFn: async (way: 'plan' | 'start'): Promise<unknown> =>
      way === 'plan' ? client.swaps.plan(scope, target) : client.swaps.start(scope, { ...target, ...asked }),
    onSuccess: async (_, way) => {
      onDone(
        way === 'plan'
          ? `The swap of ${scope} is planned.`
          : cutover === 'companion'
            ? `${version} is being built as the companion of ${scope}.`
            : `${scope} is being moved to ${version === active ? 'other chunks' : version}.`,
      );
      await queries.invalidateQueries({ queryKey: ['swaps'] });
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    start.mutate('start');
  };
  return (
    <Dialog title={`Change the model or the chunks of ${scope}`} onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          It is searched with <code className="breakable">{active}</code> until the cut-over.
        </p>
        <Field label="New model" hint="An operator adds models on the page “Models”.">
          {(given) => (
            <select {...given} required value={version ?? ''} onChange={({ target }) => setChosen(target.value)}>
              {others.map(({ version: other }) => (
                <option key={other} value={other}>
                  {other}
                </option>
              ))}
              <option value={active ?? ''}>{models && active ? `as now: ${active}` : 'Loading…'}</option>
            </select>
          )}
        </Field>
        <ChunkingChoiceFields choice={chunking} onChange={setChunking} />
        <Field label="Cut-over" hint="An evaluation compares both generations on judged queries, or on passages of the scope.">
          {(given) => (
            <select {...given} value={cutover} onChange={({ target }) => setCutover(target.value as Cutover)}>
              <option value="manual">I decide when it is built</option>
              <option value="gate">automatic, if an evaluation finds that it is not worse</option>
              <option value="automatic">automatic, once built</option>
              <option value="companion">none: keep it as a companion that reranks</option>
            </select>
          )}
        </Field>
        {cutover === 'gate' && (
          <PastQueriesFields window={past} otherwise="the newest" note=" A plan cannot have times." onChange={setPast} />
        )}
        <ProblemNotice error={error ?? start.error} />
        {start.isPending && start.variables === 'plan' && (
          <p role="status">Counting texts and embedding a sample. This may take a minute.</p>
        )}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="button"
            disabled={start.isPending || !isChange || 'pastQueries' in asked}
            onClick={() => start.mutate('plan')}
          >
            Plan
          </button>
          <button type="submit" className="button primary" disabled={start.isPending || !isChange}>
            Start
          </button>
        </div>
      </form>
    </Dialog>
  );
}
