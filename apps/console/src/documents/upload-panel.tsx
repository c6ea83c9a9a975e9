import { useRef, useState } from 'react';
import type { DragEvent } from 'react';
import { Link } from 'react-router';
import type { KnowledgeBaseView } from '@palimpsest/client';
import { counted } from '../format/format.ts';
import { Field } from '../ui/field.tsx';
import { chosenFiles, droppedFiles, type Picked } from '../uploads/dropped-files.ts';
import { isOver } from '../uploads/upload-queue.ts';
import { useUploads } from '../uploads/uploads.tsx';
import { LeftOutNotice } from './left-out-notice.tsx';
import { UploadList } from './upload-list.tsx';
import { uploadTarget } from './upload-target.ts';

type Props = Readonly<{
  /** Undefined while they are loading. */
  knowledgeBases: readonly KnowledgeBaseView[] | undefined;
  /** Resolves when they are loaded. */
  loaded: () => Promise<readonly KnowledgeBaseView[]>;
  chosen: string | undefined;
}>;

/** Files are dropped, or chosen in the browser's own dialogs, which also work with the keyboard. */
export function UploadPanel({ knowledgeBases, loaded, chosen }: Props) {
  const { queue, uploads } = useUploads();
  const [picked, setPicked] = useState<string>();
  const [dragOver, setDragOver] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [last, setLast] = useState<Picked>();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const { id: target, options, refusal } = uploadTarget(knowledgeBases, picked ?? chosen);
  // Files may arrive before it is known where they can go: they wait for it, and none is lost without a word.
  const add = (added: Picked): Promise<void> =>
    loaded().then(
      (known) => {
        const { id, refusal: refused } = uploadTarget(known, picked ?? chosen);
        if (refused !== undefined) return setProblem(`Nothing was uploaded. ${refused}`);
        setProblem(added.files.length + added.leftOut.length === 0 ? 'No files found.' : undefined);
        setLast(added);
        queue.add(added.files, id);
      },
      () => setProblem('Nothing was uploaded, because the knowledge bases could not be loaded. Try again.'),
    );
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setDragOver(false);
    droppedFiles(event.dataTransfer.items).then(add, () => setProblem('The browser cannot read these files. Use “Choose files” instead.'));
  };
  const chosenBy = (input: HTMLInputElement): void => {
    void add(chosenFiles(input.files ?? []));
    // Without this, choosing the same file again would not fire an event.
    input.value = '';
  };
  return (
    <section className="upload" aria-labelledby="upload-title">
      <h2 id="upload-title" className="visually-hidden">
        Upload
      </h2>
      <div
        className={`drop${dragOver ? ' over' : ''}`}
        data-drop-target="true"
        onDragOver={(event) => {
          event.preventDefault();
          setDragOver(true);
        }}
        onDragLeave={() => setDragOver(false)}
        onDrop={drop}
      >
        <p className="drop-title">Drop files or folders here</p>
        <p className="hint">Markdown, text, HTML, PDF, Word, PowerPoint, Excel, CSV, ODT, EPUB, RTF, e-mail, source code</p>
        <div className="drop-actions">
          <button type="button" className="button primary" disabled={refusal !== undefined} onClick={() => files.current?.click()}>
            Choose files
          </button>
          <button type="button" className="button" disabled={refusal !== undefined} onClick={() => folder.current?.click()}>
            Choose a folder
          </button>
          <input ref={files} type="file" multiple hidden aria-label="Files to upload" onChange={({ target: input }) => chosenBy(input)} />
          <input
            ref={folder}
            type="file"
            multiple
            hidden
            aria-label="Folder to upload"
            {...{ webkitdirectory: '' }}
            onChange={({ target: input }) => chosenBy(input)}
          />
          <Field label="Upload to">
            {(given) => (
              <select {...given} value={target} onChange={({ target: select }) => setPicked(select.value)}>
                {options.map(({ id, label }) => (
                  <option key={id} value={id}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Link to="/knowledge-bases?new">New knowledge base</Link>
        </div>
        {refusal !== undefined && (
          <p className="notice" role="status">
            {refusal}
          </p>
        )}
        {problem !== undefined && (
          <p className="notice bad" role="alert">
            {problem}
          </p>
        )}
        {last !== undefined && <LeftOutNotice leftOut={last.leftOut} secrets={last.secrets} />}
      </div>
      {uploads.length > 0 && (
        <>
          <div className="upload-head">
            <p role="status">
              {uploads.filter(isOver).length} of {counted(uploads.length, 'file')} finished
            </p>
            {uploads.some((upload) => !isOver(upload)) && (
              <button type="button" className="button quiet small" onClick={() => queue.cancelAll()}>
                Cancel all
              </button>
            )}
            {uploads.some(isOver) && (
              <button type="button" className="button quiet small" onClick={() => queue.clear()}>
                Clear the list
              </button>
            )}
          </div>
          <UploadList uploads={uploads} queue={queue} />
        </>
      )}
    </section>
  );
}
