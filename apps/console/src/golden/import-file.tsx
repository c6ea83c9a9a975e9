import { useState } from 'react';
import type { FormEvent } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { GoldenSetView } from '@palimpsest/client';
import type { GoldenFile } from '@palimpsest/client/golden-files';
import { counted } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { FileProblem } from './file-problem.tsx';
import { readFiles } from './read-files.ts';
import { useSaveSet, type ScopeWithSets, type SetName } from './use-golden.ts';

type Props = Readonly<{ scopes: readonly ScopeWithSets[]; onClose: () => void; onDone: (what: string) => void }>;
type Draft = SetName & Readonly<{ knowledgeBase: string }>;
type Chosen = Readonly<{ file?: GoldenFile; error?: unknown }>;

/** Imports a set from a CSV file, from lines of JSON, or from files in BEIR's layout. It replaces the set with this name. */
export function ImportFile({ scopes, onClose, onDone }: Props) {
  const save = useSaveSet();
  const [draft, setDraft] = useState<Draft>({ scope: scopes[0]?.scope ?? '', set: '', knowledgeBase: '' });
  const [chosen, setChosen] = useState<Chosen>();
  const replaced = scopes.find(({ scope }) => scope === draft.scope)?.sets.find(({ set }) => set === draft.set);
  const choose = async (files: readonly File[]): Promise<void> => {
    save.reset();
    setChosen(files.length === 0 ? undefined : await chosenOf(files));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (chosen?.file === undefined) return;
    const { knowledgeBase, ...name } = draft;
    save.mutate(
      {
        ...name,
        version: replaced?.version ?? 0,
        queries: chosen.file.queries.map(({ query }) => query),
        knowledgeBase: knowledgeBase === '' ? undefined : knowledgeBase,
      },
      {
        onSuccess: (saved) => {
          onDone(`${draft.set} has version ${saved?.version ?? 0}: ${counted(saved?.queries ?? 0, 'query', 'queries')}.`);
          onClose();
        },
      },
    );
  };
  return (
    <Dialog title="Import golden queries" onClose={onClose}>
      <form onSubmit={submit}>
        <Target draft={draft} scopes={scopes} replaced={replaced} onChange={(part) => setDraft({ ...draft, ...part })} />
        <Field
          label="Files"
          hint="CSV with the columns query, source and grade; lines of JSON as the HTTP API uses them; or queries.jsonl and the .tsv files of a folder in BEIR’s layout, chosen together"
        >
          {(given) => (
            <input
              {...given}
              required
              multiple
              type="file"
              accept=".csv,.jsonl,.ndjson,.tsv,.gz"
              onChange={({ target }) => void choose([...(target.files ?? [])])}
            />
          )}
        </Field>
        {chosen?.file && <p role="status">{foundText(chosen.file)}</p>}
        <FileProblem set={draft.set} file={chosen?.file} error={chosen?.error ?? save.error} />
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={chosen?.file === undefined || save.isPending}>
            Import
          </button>
        </div>
      </form>
    </Dialog>
  );
}

type TargetProps = Readonly<{
  draft: Draft;
  scopes: readonly ScopeWithSets[];
  replaced: GoldenSetView | undefined;
  onChange: (part: Partial<Draft>) => void;
}>;

/** Where the queries go, and the knowledge base of their sources. */
function Target({ draft, scopes, replaced, onChange }: TargetProps) {
  const { client } = useSession();
  const bases = useQuery({ queryKey: ['knowledge-bases'], queryFn: ({ signal }) => client.knowledgeBases.list({ signal }) });
  const basesOfScope = bases.data?.filter(({ scope }) => scope === draft.scope) ?? [];
  return (
    <>
      <Field label="Scope">
        {(given) => (
          <select {...given} value={draft.scope} onChange={({ target }) => onChange({ scope: target.value, knowledgeBase: '' })}>
            {scopes.map(({ scope }) => (
              <option key={scope}>{scope}</option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label="Golden set"
        hint={
          replaced ? `The file replaces all queries of version ${replaced.version}.` : 'a new set: lowercase letters, digits, “-”, “_”, “.”'
        }
      >
        {(given) => (
          <input
            {...given}
            required
            autoComplete="off"
            spellCheck={false}
            value={draft.set}
            onChange={({ target }) => onChange({ set: target.value })}
          />
        )}
      </Field>
      {basesOfScope.length > 1 && (
        <Field label="Knowledge base" hint="of the sources for which the file names none">
          {(given) => (
            <select {...given} value={draft.knowledgeBase} onChange={({ target }) => onChange({ knowledgeBase: target.value })}>
              <option value="">the file names them all</option>
              {basesOfScope.map(({ id }) => (
                <option key={id}>{id}</option>
              ))}
            </select>
          )}
        </Field>
      )}
    </>
  );
}

const chosenOf = async (files: readonly File[]): Promise<Chosen> => {
  try {
    return { file: await readFiles(files) };
  } catch (error) {
    return { error };
  }
};

const foundText = ({ kind, queries, leftOut }: GoldenFile): string => {
  const found = `${counted(queries.length, 'query', 'queries')} in the ${kind === 'beir' ? 'files' : 'file'}.`;
  return leftOut === 0 ? found : `${found} ${counted(leftOut, 'query', 'queries')} without a judgement left out.`;
};
