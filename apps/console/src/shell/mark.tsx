/** The logo: three lines, the lowest written over the fading ones. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" />
      <path d="M8 10h16" opacity=".38" />
      <path d="M8 16h16" opacity=".62" />
      <path d="M8 22h10" />
    </svg>
  );
}
