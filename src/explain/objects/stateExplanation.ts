export interface StateExplanation {
  readonly state: string
  /** Whether nothing is pending or wrong. */
  readonly isWell: boolean
  /** The first sentence tells the state, the others the reasons. */
  readonly sentences: ReadonlyArray<string>
  /** The sentences about problems that do not end by themselves. */
  readonly blockingSentences?: ReadonlyArray<string>
  /** Counts and limits by their labels, such as `ready` and `terminating`. */
  readonly numbers: Readonly<Record<string, number>>
}

/** Why a Pod is not available, as a predicate after `1 Pod` or `3 Pods`. */
export interface PodProblem {
  /** Pods with an equal key share a sentence. */
  readonly groupKey: string
  readonly predicate: (plural: boolean) => string
  /** The rest of the sentence, with numbers of one Pod. */
  readonly detail?: string
  /** Whether the Pod may become available without a change from outside. */
  readonly endsByItself?: boolean
  /** A sentence about several Pods has the `detail` of the Pod with the most occurrences. */
  readonly occurrences?: number
  /** After the container's name; omitted if it equals `predicate`. */
  readonly containerPredicate?: string
}
