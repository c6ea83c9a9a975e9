import { progressOf } from './being-built.ts';
import { asSentence } from './moment-line.ts';

/** What the server says while it builds a moment, with a bar. */
export function BeingBuilt({ message }: Readonly<{ message: string }>) {
  const progress = progressOf(message);
  return (
    <>
      <p>This moment is being prepared. The page shows it as soon as it is ready.</p>
      <p className="swap-bar">
        <progress {...(progress === undefined ? {} : { value: progress })} aria-label="Preparing the moment" />
        <span>{asSentence(message.replace(/;.*$/, ''))}</span>
      </p>
    </>
  );
}
