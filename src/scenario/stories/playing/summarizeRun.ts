import { outcomeOfFailures, outcomeWithExpectation } from "./expectedFailure.ts"
import { faultText } from "../../../faults/faultText.ts"
import { makeViolationFilter } from "../../ledger/violationFilter.ts"
import { rolloutBounds } from "../../../../machines/strategies/strategies.ts"
import { rolloutVerdictInView } from "../../../explain/health/rolloutVerdictInView.ts"
import { workloadVerdictText } from "../../../explain/health/workloadVerdict.ts"
import { rolloutStatus } from "../../../kubernetes/apps/rolloutStatus.ts"
import { storyStepText } from "../storyStepText.ts"
import type { ClusterView } from "../../../store/objectStore.ts"
import type { Strategy } from "../../../../machines/strategies/strategy.ts"
import type { Key } from "../../../kubernetes/meta/objects.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import type { StoryRecorder } from "./storyRecorder.ts"
import type { StepProgress } from "./performSteps.ts"
import type { Story } from "../story.ts"
import type { StoryFaults } from "./storyFaults.ts"
import type { DeploymentRun, ServiceRun, StepRun, StoryFailure, StoryRun } from "../storyRun.ts"

interface PlayedStory {
  readonly view: ClusterView["Service"]
  readonly story: Story
  readonly strategies: ReadonlyArray<Strategy>
  readonly seed: number
  readonly steps: ReadonlyArray<StepProgress>
  /** Failures at the start or at a limit. */
  readonly failures: ReadonlyArray<StoryFailure>
  readonly faults: StoryFaults
  readonly ledger: Ledger
  readonly recorder: StoryRecorder
  readonly beginMillis: number
  readonly endMillis: number
  /** Before the end, `expectFailure` is not judged. */
  readonly isOver: boolean
}

/** The ledger has Unix times. Times of steps and faults count from the story's beginning. */
export const summarizeRun = (playedStory: PlayedStory): StoryRun => {
  const { story, seed, faults, recorder, beginMillis, endMillis, isOver } = playedStory
  const { expectFailure } = story
  const allFailures = collectFailures(playedStory)
  const { outcome, failures } =
    expectFailure === undefined || !isOver
      ? outcomeOfFailures(allFailures)
      : outcomeWithExpectation(expectFailure, allFailures, endMillis - beginMillis)
  const reported = reportedFailures(failures)
  return {
    story: story.name,
    seed,
    outcome,
    failures: reported,
    untold: failures.length - reported.length,
    steps: stepRuns(playedStory),
    faults: faults.runs(),
    deployments: deploymentRuns(playedStory),
    services: serviceRuns(playedStory),
    events: [...recorder.events()],
    endMillis: endMillis - beginMillis,
    writes: recorder.totalWrites(),
    digest: recorder.digest()
  }
}

const collectFailures = ({
  steps,
  failures,
  faults,
  ledger,
  beginMillis
}: PlayedStory): ReadonlyArray<StoryFailure> => {
  const violations = ledger.violations().map((violation): StoryFailure => {
    return { type: "violation", violation: { ...violation, atMillis: violation.atMillis - beginMillis } }
  })
  const failedSteps = steps.flatMap(({ failure, endedMillis }, index): ReadonlyArray<StoryFailure> =>
    failure === undefined ? [] : [{ type: "step", step: index + 1, atMillis: endedMillis ?? 0, ...failure }]
  )
  const refusedFaults = faults.refusals().map((refusal): StoryFailure => ({ type: "fault", ...refusal }))
  // The sort is stable: failures of one instant keep this order.
  return [...violations, ...refusedFaults, ...failedSteps, ...failures].sort(
    (a, b) => millisOf(a) - millisOf(b)
  )
}

const reportedFailures = (failures: ReadonlyArray<StoryFailure>): ReadonlyArray<StoryFailure> => {
  const isReported = makeViolationFilter()
  return failures.filter(
    // An expected violation does not hide the first other one of its kind.
    (failure) =>
      failure.type !== "violation" ||
      isReported(failure.violation, failure.isExpected === true ? "expected" : "")
  )
}

const millisOf = (failure: StoryFailure): number =>
  failure.type === "violation" ? failure.violation.atMillis : failure.atMillis

const stepRuns = ({ story, steps }: PlayedStory): ReadonlyArray<StepRun> =>
  story.steps.map((step, index) => {
    const { beganMillis, endedMillis, failure } = steps[index] ?? {}
    return {
      number: index + 1,
      text: storyStepText(step, faultText),
      beganMillis,
      endedMillis,
      outcome: failure !== undefined ? "failed" : endedMillis === undefined ? "notReached" : "done"
    }
  })

const splitKey = (key: Key): { readonly namespace: string; readonly name: string } => {
  const [namespace = "", name = ""] = key.split("/")
  return { namespace, name }
}

const deploymentRuns = ({
  view,
  strategies,
  ledger,
  recorder,
  beginMillis,
  endMillis
}: PlayedStory): ReadonlyArray<DeploymentRun> =>
  ledger.deployments().flatMap((key) => {
    const entry = ledger.of(key)
    const last = recorder.deployments.get(key)
    if (entry === undefined || last === undefined) return []
    const { podsMost, podsMostWithTerminating, availableFewest } = entry.extremes(endMillis)
    return {
      ...splitKey(key),
      rows: entry.rows().map((row) => ({ ...row, atMillis: row.atMillis - beginMillis })),
      ...rolloutBounds(last.deployment, strategies),
      reached: { podsMost, podsMostWithTerminating, availableFewest },
      ...(last.isDeleted
        ? { verdict: undefined, message: "object has been deleted" }
        : {
            verdict: workloadVerdictText(rolloutVerdictInView(view, last.deployment)),
            message: rolloutStatus(last.deployment).message
          })
    }
  })

const serviceRuns = ({ ledger, beginMillis, endMillis }: PlayedStory): ReadonlyArray<ServiceRun> =>
  ledger.services().flatMap((key) => {
    const entry = ledger.ofService(key)
    if (entry === undefined) return []
    const { lost, requests } = entry.totals(endMillis)
    const rows = entry.rows().map(({ atMillis, endpoints, ready, known }) => {
      return { atMillis: atMillis - beginMillis, endpoints, ready, known }
    })
    return { ...splitKey(key), rows, lost, requests }
  })
