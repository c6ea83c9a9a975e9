import type { GoldenQueryView } from '@palimpsest/client';
import { Confirm } from '../ui/confirm.tsx';
import { linesWithout } from './judging.ts';
import { SaveProblem } from './save-problem.tsx';
import { useSaveSet, type LoadedSet } from './use-golden.ts';

type Props = Readonly<{ scope: string; view: LoadedSet; onClose: () => void }>;

export function RemoveSet({ scope, view: { set, version }, onClose, onRemoved }: Props & Readonly<{ onRemoved: () => void }>) {
  const save = useSaveSet();
  return (
    <Confirm
      title={`Remove the golden set “${set}”?`}
      action="Remove the set"
      busy={save.isPending}
      error={undefined}
      onConfirm={() => save.mutate({ scope, set, version, queries: undefined }, { onSuccess: onRemoved })}
      onClose={onClose}
    >
      <p>Evaluations no longer use its queries. Its versions stay on the event log, encrypted.</p>
      <SaveProblem error={save.error} set={set} />
    </Confirm>
  );
}

type RemoveQueryProps = Props & Readonly<{ query: GoldenQueryView; onDone: (what: string) => void; onEmpty: () => void }>;

/** A set has at least one query: without its last one it is removed. */
export function RemoveQuery({ scope, view: { set, version, items }, query, onClose, onDone, onEmpty }: RemoveQueryProps) {
  const save = useSaveSet();
  const rest = linesWithout(items, query.id);
  const isLast = rest.length === 0;
  const confirm = (): void =>
    save.mutate(
      { scope, set, version, queries: isLast ? undefined : rest },
      {
        onSuccess: (saved) => {
          if (saved === undefined) return onEmpty();
          onDone(`Saved as version ${saved.version}.`);
          return onClose();
        },
      },
    );
  return (
    <Confirm
      title="Remove this query?"
      action="Remove the query"
      busy={save.isPending}
      error={undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p className="breakable">{query.text}</p>
      {isLast && <p>It is the only query of “{set}”: the set is removed.</p>}
      <SaveProblem error={save.error} set={set} />
    </Confirm>
  );
}
