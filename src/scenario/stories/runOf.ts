import { endingOf, endingWith } from "./expectFailure.ts"
import { faultText } from "../../faults/faultText.ts"
import { tellingFirst } from "../ledger/telling.ts"
import { promisesOf } from "../../domain/promises.ts"
import { rolloutStatus } from "../../domain/rolloutStatus.ts"
import { stepText } from "./stepText.ts"
import type { Key } from "../../domain/objects.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Recorder } from "./recorder.ts"
import type { StepProgress } from "./performSteps.ts"
import type { Story } from "./story.ts"
import type { StoryFaults } from "./storyFaults.ts"
import type { DeploymentRun, ServiceRun, StepRun, StoryFailure, StoryRun } from "./storyRun.ts"

interface Played {
  readonly story: Story
  readonly seed: number
  readonly steps: ReadonlyArray<StepProgress>
  /** But for those of steps, and the rules that were broken. */
  readonly failures: ReadonlyArray<StoryFailure>
  readonly faults: StoryFaults
  readonly ledger: Ledger
  readonly recorder: Recorder
  readonly beginMillis: number
  readonly endMillis: number
  /** Whether it was played to its end: until then, nobody knows what will fail. */
  readonly isOver: boolean
}

/** What came of a story that has been played, as plain data. */
export const runOf = (played: Played): StoryRun => {
  const { story, seed, faults, recorder, beginMillis, endMillis, isOver } = played
  const { expectFailure } = story
  const all = failuresOf(played)
  const { outcome, failures } =
    expectFailure === undefined || !isOver
      ? endingOf(all)
      : endingWith(expectFailure, all, endMillis - beginMillis)
  const told = toldOf(failures)
  return {
    story: story.name,
    seed,
    outcome,
    failures: told,
    untold: failures.length - told.length,
    steps: stepRuns(played),
    faults: faults.runs(),
    deployments: deploymentRuns(played),
    services: serviceRuns(played),
    events: [...recorder.events()],
    endMillis: endMillis - beginMillis,
    writes: recorder.writesInAll(),
    digest: recorder.digest()
  }
}

const failuresOf = ({
  steps,
  failures,
  faults,
  ledger,
  beginMillis
}: Played): ReadonlyArray<StoryFailure> => {
  const broken = ledger.violations().map((violation): StoryFailure => {
    return { type: "violation", violation: { ...violation, atMillis: violation.atMillis - beginMillis } }
  })
  const failed = steps.flatMap(({ failure, endedMillis }, index): ReadonlyArray<StoryFailure> =>
    failure === undefined ? [] : [{ type: "step", step: index + 1, atMillis: endedMillis ?? 0, ...failure }]
  )
  const refused = faults.refusals().map((refusal): StoryFailure => ({ type: "fault", ...refusal }))
  // What came at the same instant stays in this order.
  return [...broken, ...refused, ...failed, ...failures].sort((a, b) => millisOf(a) - millisOf(b))
}

/** All were judged; of rules that were broken again and again not every time is told. */
const toldOf = (failures: ReadonlyArray<StoryFailure>): ReadonlyArray<StoryFailure> => {
  const isTold = tellingFirst()
  return failures.filter(
    (it) => it.type !== "violation" || isTold(it.violation, it.isExpected === true ? "expected" : "")
  )
}

const millisOf = (failure: StoryFailure): number =>
  failure.type === "violation" ? failure.violation.atMillis : failure.atMillis

const stepRuns = ({ story, steps }: Played): ReadonlyArray<StepRun> =>
  story.steps.map((step, index) => {
    const { beganMillis, endedMillis, failure } = steps[index] ?? {}
    return {
      number: index + 1,
      text: stepText(step, faultText),
      beganMillis,
      endedMillis,
      outcome: failure !== undefined ? "failed" : endedMillis === undefined ? "notReached" : "done"
    }
  })

const nameIn = (key: Key): { readonly namespace: string; readonly name: string } => {
  const [namespace = "", name = ""] = key.split("/")
  return { namespace, name }
}

const deploymentRuns = ({ ledger, recorder, beginMillis, endMillis }: Played): ReadonlyArray<DeploymentRun> =>
  ledger.deployments().flatMap((key) => {
    const entry = ledger.of(key)
    const last = recorder.deployments.get(key)
    if (entry === undefined || last === undefined) return []
    const { podsMost, podsMostWithTerminating, availableFewest } = entry.extremes(endMillis)
    return {
      ...nameIn(key),
      rows: entry.rows().map((row) => ({ ...row, atMillis: row.atMillis - beginMillis })),
      ...promisesOf(last.deployment),
      reached: { podsMost, podsMostWithTerminating, availableFewest },
      message: last.isGone ? "object has been deleted" : rolloutStatus(last.deployment).message
    }
  })

const serviceRuns = ({ ledger, beginMillis, endMillis }: Played): ReadonlyArray<ServiceRun> =>
  ledger.services().flatMap((key) => {
    const entry = ledger.ofService(key)
    if (entry === undefined) return []
    const { lost, requests } = entry.totals(endMillis)
    const rows = entry.rows().map(({ atMillis, endpoints, ready, known }) => {
      return { atMillis: atMillis - beginMillis, endpoints, ready, known }
    })
    return { ...nameIn(key), rows, lost, requests }
  })
