import { uploadTarget } from './upload-target.ts';

const BASES = [
  { id: 'default', status: 'active' }, { id: 'inbox', status: 'active' }, { id: 'quiet', status: 'paused' }, { id: 'old', status: 'archived' },
] as const;

describe('where uploads go', () => {
  it('is the knowledge base that is selected, and the default one when none is', () => {
    expect(uploadTarget(BASES, 'inbox')).toEqual({ id: 'inbox', options: [{ id: 'default', label: 'default' }, { id: 'inbox', label: 'inbox' }] });
    expect(uploadTarget(BASES, undefined).id).toBe('default');
    expect(uploadTarget([], undefined)).toEqual({ id: 'default', options: [{ id: 'default', label: 'default' }] });
  });

  it.each([['quiet', 'paused'], ['old', 'archived']])('is nowhere else when %s, which is selected, is %s: the panel says so', (id, status) => {
    const target = uploadTarget(BASES, id);
    expect(target).toMatchObject({ id, refusal: expect.stringContaining(`“${id}” is ${status} and takes no documents`) });
    expect(target.options).toContainEqual({ id, label: `${id} (${status})` });
  });

  it('is not the default one either when that is paused', () =>
    expect(uploadTarget([{ id: 'default', status: 'paused' }, { id: 'inbox', status: 'active' }], undefined)).toMatchObject({ id: 'default', refusal: expect.stringContaining('“default” is paused') }));

  it('is nowhere when the selected one is not there, or not loaded yet', () => {
    expect(uploadTarget(BASES, 'gone')).toMatchObject({ id: 'gone', refusal: expect.stringContaining('no knowledge base “gone”') });
    expect(uploadTarget(undefined, 'inbox')).toMatchObject({ id: 'inbox', refusal: expect.stringContaining('being loaded') });
  });
});
