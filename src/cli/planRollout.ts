import * as Effect from "effect/Effect"
import { assumed } from "../scenario/assumptions.ts"
import { deploymentKeys } from "../scenario/planRun.ts"
import { exactSpan } from "./ages.ts"
import { BadInput, readInput } from "./input.ts"
import { packageVersion } from "./packageRoot.ts"
import { paletteFor } from "./palette.ts"
import { planLines } from "./planText.ts"
import { playOnAllCores } from "./planWorker.ts"
import { sumUp } from "../scenario/plan.ts"
import { predicatesIn, tripped } from "../scenario/predicates.ts"
import { refusing, rehearse } from "./run.ts"
import { complain } from "./refuse.ts"
import type { ExitCode } from "./run.ts"
import type { Parsed } from "../scenario/assumptions.ts"
import type { Plan, RolloutPlan } from "../scenario/plan.ts"
import type { Predicate } from "../scenario/predicates.ts"
import type { Tripped } from "./planText.ts"

/** What is asked for on the command line. */
export interface PlanOptions {
  readonly file: string
  readonly from: string | undefined
  readonly seeds: ReadonlyArray<number>
  readonly behaviour: string | undefined
  readonly assume: string | undefined
  readonly nodes: number
  readonly output: "table" | "json"
  readonly failOn: ReadonlyArray<string>
}

/** Plays a rollout with many seeds, says what it will do, and judges it by what must not be. */
export const planFiles = (options: PlanOptions): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    const { file, from, seeds, nodes } = options
    const predicates = yield* Effect.forEach(options.failOn, (text) =>
      read("--fail-on", text, predicatesIn(text))
    )
    const files = from === undefined ? [file] : [from, file]
    const input = yield* readInput({ files, behaviour: options.behaviour })
    const next = input.files.at(-1)?.documents ?? []
    const before = from === undefined ? undefined : input.files[0]?.documents
    const { assume } = options
    const behaviour =
      assume === undefined
        ? input.behaviour
        : yield* read("--assume", assume, assumed(assume, input.behaviour))
    yield* refuseEmpty(file, deploymentKeys(next).length)
    yield* refuseUnasked(predicates.flat(), deploymentKeys(before ?? []), deploymentKeys(next))
    yield* rehearse(input)
    for (const warning of input.warnings) complain(`warning: ${warning}`)
    const { behaviours } = input
    const world = {
      next,
      ...(before === undefined ? {} : { from: before }),
      nodes,
      behaviours,
      ...(behaviour === undefined ? {} : { behaviour })
    }
    const plan = sumUp(world, yield* playOnAllCores(world, seeds))
    const judged = judge(plan, predicates.flat())
    const isJudgedByStuck = predicates.flat().some(({ measure }) => measure === "stuck")
    const isStuck = !isJudgedByStuck && plan.rollouts.some(({ stuck, late }) => stuck + late > 0)
    const exitCode = judged.length > 0 || isStuck || plan.violations.length > 0 ? 1 : 0
    process.stdout.write(
      options.output === "json"
        ? jsonOf(options, plan, judged, exitCode)
        : `${planLines(plan, judged, paletteFor(process.stdout)).join("\n")}\n`
    )
    return exitCode
  }).pipe(refusing)

/** What was read, or where it goes wrong, with a caret under the place. */
const read = <A>(flag: string, text: string, parsed: Parsed<A>): Effect.Effect<A, BadInput> =>
  parsed.ok
    ? Effect.succeed(parsed.value)
    : Effect.fail(
        new BadInput({
          lines: parsed.problems.flatMap(({ column, message }) => [
            `error: ${flag}, column ${column}: ${message}`,
            `  ${text}`,
            `  ${" ".repeat(column - 1)}^`
          ])
        })
      )

const refuseEmpty = (file: string, count: number): Effect.Effect<void, BadInput> =>
  count > 0
    ? Effect.void
    : Effect.fail(
        new BadInput({ lines: [`error: ${file} has no Deployment, so that there is no rollout to plan`] })
      )

/** What is new has nobody available to lose: comparing that would always be true, or never. */
const refuseUnasked = (
  predicates: ReadonlyArray<Predicate>,
  before: ReadonlyArray<string>,
  next: ReadonlyArray<string>
): Effect.Effect<void, BadInput> => {
  const idle = predicates.find(({ measure }) => measure === "available")
  if (idle === undefined || next.some((key) => before.includes(key))) return Effect.void
  const line = `error: --fail-on ${idle.text}: a Deployment that is new has none available to lose; say --from what it follows`
  return Effect.fail(new BadInput({ lines: [line] }))
}

const judge = (plan: Plan, predicates: ReadonlyArray<Predicate>): ReadonlyArray<Tripped> =>
  plan.rollouts.flatMap((rollout) =>
    predicates.flatMap((predicate) => {
      const { desired, duration, available, pods, stuck, late } = rollout
      const actual = tripped(predicate, {
        desired,
        available: available?.fewest,
        pods: pods.most,
        stuck: stuck + late,
        seeds: plan.seeds,
        durationMillis: duration
      })
      if (actual === undefined) return []
      return [{ predicate: predicate.text, rollout, actual: actualText(predicate, actual, rollout, plan) }]
    })
  )

const actualText = (
  { measure }: Predicate,
  actual: number,
  { desired }: RolloutPlan,
  { seeds }: Plan
): string => {
  if (measure.startsWith("duration")) return exactSpan(actual)
  return `${actual} of ${measure === "stuck" ? seeds : desired}`
}

const jsonOf = (
  { seeds, nodes }: PlanOptions,
  plan: Plan,
  judged: ReadonlyArray<Tripped>,
  exitCode: ExitCode
): string => {
  const report = {
    version: packageVersion(),
    ...plan,
    seeds: { first: seeds[0], last: seeds.at(-1), count: seeds.length },
    nodes,
    failed: judged.map(({ predicate, rollout: { namespace, name }, actual }) => ({
      predicate,
      namespace,
      name,
      actual
    })),
    exitCode
  }
  const nullFor = (_key: string, value: unknown): unknown => (value === undefined ? null : value)
  return `${JSON.stringify(report, nullFor, 2)}\n`
}
