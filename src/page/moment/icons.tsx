const paths = {
  begin: "M3 3h2v10H3zM13 3v10L6 8z",
  previousChange: "M8 3v10L2 8zM14 3v10L8 8z",
  stepBack: "M11 3v10L5 8z",
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  stepForward: "M5 3v10l6-5z",
  nextChange: "M8 3v10l6-5zM2 3v10l6-5z",
  end: "M11 3h2v10h-2zM3 3v10l7-5z"
} as const

export type IconName = keyof typeof paths

/** Drawn as paths, since fonts render symbol characters differently. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)
