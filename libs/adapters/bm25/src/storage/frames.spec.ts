import fc from 'fast-check';
import { frame, readFrames } from './frames.ts';

const payloads = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 6 });

describe('frames', () => {
  it('are read as they were written, up to where the file was truncated', () =>
    fc.assert(
      fc.property(payloads, fc.nat(), (written, cut) => {
        const frames = written.map((payload) => frame(Buffer.from(payload)));
        const whole = Buffer.concat(frames);
        const { frames: read, end, damage } = readFrames(whole.subarray(0, cut % (whole.length + 1)));
        expect(damage).toBeUndefined();
        expect(read.map(({ payload }) => [...payload])).toEqual(written.slice(0, read.length).map((payload) => [...payload]));
        expect(end).toBe(frames.slice(0, read.length).reduce((sum, { length }) => sum + length, 0));
        expect(end + (frames[read.length]?.length ?? 0)).toBeGreaterThanOrEqual(cut % (whole.length + 1));
      }),
    ));

  it('distinguish damage from an incomplete append: a changed byte anywhere before the last frame is damage', () =>
    fc.assert(
      fc.property(payloads, fc.nat(), fc.integer({ min: 1, max: 255 }), (written, at, change) => {
        const before = Buffer.concat(written.map((payload) => frame(Buffer.from(payload))));
        const bytes = Buffer.concat([before, frame(Buffer.from('last'))]);
        bytes.writeUInt8(bytes.readUInt8(at % before.length) ^ change, at % before.length);
        expect(readFrames(bytes).damage).toMatch(/byte \d+/);
      }),
    ));

  it('treat trailing zeros, which some file systems leave after a crash, as an incomplete append', () => {
    const whole = frame(Buffer.from('whole'));
    expect(readFrames(Buffer.concat([whole, Buffer.alloc(100)]))).toMatchObject({ end: whole.length });
    expect(readFrames(Buffer.concat([whole, Buffer.alloc(100)])).damage).toBeUndefined();
  });
});
