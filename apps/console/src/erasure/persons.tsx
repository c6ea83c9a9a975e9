import { useState } from 'react';
import type { FormEvent } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SubjectErasure, SubjectFound } from '@palimpsest/client';
import { counted } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { CardList } from '../ui/card-list.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { ConfirmByName } from './confirm-by-name.tsx';
import { ErasureProgress } from './erasure-progress.tsx';
import { OlderErasures } from './older-erasures.tsx';
import { usePersonErasures } from './use-erasures.ts';

type Found = SubjectFound & Readonly<{ person: string }>;

/** Finds the documents about a person, and erases the person. The name is in no address and is not stored by the console. */
export function Persons() {
  const { client } = useSession();
  const { data, error, ...more } = usePersonErasures();
  const [person, setPerson] = useState('');
  const [done, setDone] = useState('');
  const find = useMutation({
    mutationFn: async (name: string): Promise<Found> => ({ person: name, ...(await client.erasures.findPerson(name)) }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setDone('');
    find.mutate(person);
  };
  const erased = (what: string): void => {
    find.reset();
    setDone(what);
  };
  return (
    <section aria-labelledby="persons">
      <h2 id="persons">Persons</h2>
      <div className="letters">
        <form className="card" onSubmit={submit}>
          <Field label="Person" hint="As named when the documents about them were added (subject). All scopes of the tenant are searched.">
            {(given) => (
              <input
                {...given}
                required
                value={person}
                autoComplete="off"
                spellCheck={false}
                onChange={({ target }) => setPerson(target.value)}
              />
            )}
          </Field>
          <p>
            <button type="submit" className="button" disabled={find.isPending}>
              Find
            </button>
          </p>
          <ProblemNotice error={find.error} />
        </form>
        <div role="status">{find.data && <FoundPerson found={find.data} onErased={erased} />}</div>
      </div>
      <CardList
        items={data}
        error={error}
        isPending={false}
        status={done}
        empty={null}
        card={(erasure) => <PersonCard key={erasure.subject} erasure={erasure} />}
      />
      <OlderErasures of="persons" {...more} />
    </section>
  );
}

function FoundPerson({ found, onErased }: Readonly<{ found: Found; onErased: (what: string) => void }>) {
  const [asking, setAsking] = useState(false);
  const { person, documents, passages, scopes } = found;
  if (documents === 0) return <p className="card">No documents about {person}.</p>;
  return (
    <div className="card letter">
      <p className="breakable">
        {person}: {counted(documents, 'document')} with {counted(passages, 'passage')} in {counted(scopes, 'scope')}, with those that were
        deleted.
      </p>
      <p>
        <button type="button" className="button danger" onClick={() => setAsking(true)}>
          Erase this person
        </button>
      </p>
      {asking && <ErasePerson found={found} onErased={onErased} onClose={() => setAsking(false)} />}
    </div>
  );
}

type ErasePersonProps = Readonly<{ found: Found; onErased: (what: string) => void; onClose: () => void }>;

function ErasePerson({ found: { person, documents }, onErased, onClose }: ErasePersonProps) {
  const { client } = useSession();
  const queries = useQueryClient();
  const erase = useMutation({
    mutationFn: () => client.erasures.startOfPerson(person),
    onSuccess: async ({ subject, documents: erased = documents }) => {
      // Any page may show something of it.
      await queries.invalidateQueries();
      onErased(`${counted(erased, 'document')} erased. The erasure is ${subject}: its receipt does not say who the person was.`);
    },
  });
  return (
    <ConfirmByName
      title="Erase this person?"
      name={person}
      label="Name of the person"
      busy={erase.isPending}
      error={erase.error}
      onConfirm={() => erase.mutate()}
      onClose={onClose}
    >
      <p>
        {counted(documents, 'document')} in all scopes of the tenant are deleted, and the key that sealed them is destroyed. No one can read
        any version of them any more: on the log, in uploads and exports. Then the files are removed, and a receipt is signed.
      </p>
      <p>
        <strong>This cannot be undone or stopped.</strong>
      </p>
    </ConfirmByName>
  );
}

function PersonCard({ erasure }: Readonly<{ erasure: SubjectErasure }>) {
  const { client } = useSession();
  const { subject, documents } = erasure;
  const heading = `erasure-${subject}`;
  return (
    <li className="card letter" aria-labelledby={heading}>
      <h3 id={heading}>
        Erasure <code className="breakable">{subject}</code>
        {documents !== undefined && `, ${counted(documents, 'document')}`}
      </h3>
      <ErasureProgress of={subject} erasure={erasure} getReceipt={() => client.erasures.receiptOfPerson(subject)} />
    </li>
  );
}
