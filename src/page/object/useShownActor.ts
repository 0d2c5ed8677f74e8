import { useActorStream } from "./useActorStream.ts"
import { useMemo } from "preact/hooks"
import { usePageState } from "../pageState.ts"
import { useSignal } from "../useSignal.ts"
import type { ChartHighlight } from "./chart/foldChart.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { Step } from "../../explain/steps/step.ts"
import type { StepEntry } from "../../recording/entry.ts"

interface ShownActor {
  /** Oldest first. */
  readonly steps: ReadonlyArray<StepEntry>
  readonly shownStep: Step | undefined
  /** Undefined if neither a step nor the server tells the actor's states. */
  readonly highlight: ChartHighlight | undefined
  readonly unknownActorMessage: string | undefined
}

/** The calling view redraws with the page's `redrawCount`: new steps redraw nothing by themselves. */
export const useShownActor = (address: PageAddress): ShownActor => {
  const { history, moment } = usePageState()
  const { actor, unknownActorMessage } = useActorStream(address)
  const shownMoment = useSignal(moment)
  const steps = history.get().stepsOf(address)
  const shownStep = steps.findLast(({ number }) => number <= (shownMoment ?? Infinity))?.step
  const currentActor = shownMoment === undefined ? actor : undefined
  const chart = shownStep?.chart ?? currentActor?.chart
  const highlight = useMemo(
    () =>
      chart === undefined
        ? undefined
        : { chart, states: shownStep?.to ?? currentActor?.states ?? [], transitions: shownStep?.taken ?? [] },
    [chart, shownStep, currentActor]
  )
  return { steps, shownStep, highlight, unknownActorMessage }
}
