/** `github`: workflow commands that annotate the lines of a pull request. */
export const planFormats = ["table", "json", "html", "markdown", "sarif", "junit", "github"] as const

export type PlanFormat = (typeof planFormats)[number]

/** `-o FORMAT` or `-o FORMAT=FILE`. */
export interface PlanOutput {
  readonly format: PlanFormat
  /** Undefined for standard output. */
  readonly file: string | undefined
}
