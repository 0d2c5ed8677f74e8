export interface GuardInput {
  readonly context: unknown
  readonly event: { readonly type: string }
}

/** States in numbers what a guard compares, whether it holds or not. */
export type GuardReason = (input: GuardInput) => string

export type GuardReasons = Readonly<Record<string, GuardReason>>
