import { checkDefaults, failureDefaults } from "../kubernetes/steering/steeringSettings.ts"
import { parseDuration } from "../kubernetes/meta/amounts/durations.ts"
import {
  AutomaticRollbackSchema,
  BlueGreenSchema,
  CanarySchema,
  untilPromoted
} from "./strategyAnnotationSchema.ts"
import type * as Schema from "effect/Schema"
import type {
  Analysis,
  AnalysisSource,
  BlueGreenSettings,
  FailureSettings,
  Hook,
  RolloutStep,
  StepSettings
} from "../kubernetes/steering/steeringSettings.ts"

interface SettingsDecoder {
  readonly schema: Schema.Top
  readonly decode: (settings: unknown) => unknown
}

const millisOf = (text: string | undefined, millisByDefault: number): number =>
  text === undefined ? millisByDefault : (parseDuration(text) ?? millisByDefault)

interface FailureDraft {
  readonly restarts?: number
  readonly cannotStart?: string
  readonly cannotSchedule?: string
  readonly onFailure?: FailureSettings["onFailure"]
}

const decodeFailures = ({
  restarts,
  cannotStart,
  cannotSchedule,
  onFailure
}: FailureDraft): FailureSettings => ({
  restarts: restarts ?? failureDefaults.restarts,
  startTimeoutMillis: millisOf(cannotStart, failureDefaults.startTimeoutMillis),
  ...(cannotSchedule === undefined ? {} : { scheduleTimeoutMillis: millisOf(cannotSchedule, Infinity) }),
  onFailure: onFailure ?? failureDefaults.onFailure
})

interface StepDraft {
  readonly approve?: number | string
  readonly hold?: string
  readonly run?: string
  readonly analyse?: string
}

const decodeStep = ({ approve, hold = untilPromoted, run, analyse }: StepDraft): RolloutStep => {
  if (approve !== undefined) return { approve }
  if (run !== undefined) return { run }
  if (analyse !== undefined) return { analyse }
  return { holdMillis: hold === untilPromoted ? undefined : parseDuration(hold) }
}

interface HookDraft {
  readonly job?: string
  readonly http?: string
  readonly method?: "GET" | "POST" | "PUT"
  readonly timeout?: string
}

const decodeHook = ({ job, http = "", method = "POST", timeout }: HookDraft): Hook => {
  const timeoutMillis = millisOf(timeout, checkDefaults.hookTimeoutMillis)
  return job === undefined ? { http, method, timeoutMillis } : { job, timeoutMillis }
}

interface AnalysisDraft extends Pick<Analysis, "min" | "max" | "equals"> {
  readonly http?: string
  readonly path?: string
  readonly prometheus?: string
  readonly query?: string
  readonly pods?: "restarts" | "notReady"
  readonly interval?: string
  readonly count?: number
  readonly failures?: number
  readonly timeout?: string
}

const decodeAnalysis = (draft: AnalysisDraft): Analysis => {
  const { min, max, equals, interval, count, failures, timeout } = draft
  return {
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(equals === undefined ? {} : { equals }),
    source: sourceOf(draft),
    intervalMillis: millisOf(interval, checkDefaults.intervalMillis),
    count: count ?? checkDefaults.count,
    failures: failures ?? checkDefaults.failures,
    timeoutMillis: millisOf(timeout, checkDefaults.answerTimeoutMillis)
  }
}

/** The schema has checked that there is exactly one source. */
const sourceOf = ({ http, path, prometheus, query = "", pods }: AnalysisDraft): AnalysisSource => {
  if (http !== undefined) return path === undefined ? { http } : { http, path }
  return prometheus === undefined ? { pods: pods ?? "restarts" } : { prometheus, query }
}

const mapValues = <A, B>(
  record: Readonly<Record<string, A>> = {},
  map: (value: A) => B
): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))

interface StepChartDraft extends FailureDraft {
  readonly hooks?: Readonly<Record<string, HookDraft>>
  readonly analyses?: Readonly<Record<string, AnalysisDraft>>
}

const decodeChecks = (draft: StepChartDraft): Omit<StepSettings, "steps"> => ({
  ...decodeFailures(draft),
  hooks: mapValues(draft.hooks, decodeHook),
  analyses: mapValues(draft.analyses, decodeAnalysis)
})

const decodeCanary = (
  draft: StepChartDraft & { readonly steps: ReadonlyArray<StepDraft> }
): StepSettings => ({ ...decodeChecks(draft), steps: draft.steps.map(decodeStep) })

const decodeBlueGreen = ({
  preview,
  before = [],
  after = [],
  ...draft
}: StepChartDraft & {
  readonly preview?: string
  readonly before?: ReadonlyArray<StepDraft>
  readonly after?: ReadonlyArray<StepDraft>
}): BlueGreenSettings => ({
  ...decodeChecks(draft),
  ...(preview === undefined ? {} : { preview }),
  steps: [{ start: "all" }, ...before.map(decodeStep), { approve: "100%" }, ...after.map(decodeStep)]
})

/** Decoders by the chart's name. `decode` takes settings that the schema has accepted. */
export const settingsDecoders: Readonly<Record<string, SettingsDecoder>> = {
  automaticRollback: {
    schema: AutomaticRollbackSchema,
    decode: (settings) => decodeFailures(settings as FailureDraft)
  },
  canary: {
    schema: CanarySchema,
    decode: (settings) => decodeCanary(settings as Parameters<typeof decodeCanary>[0])
  },
  blueGreen: {
    schema: BlueGreenSchema,
    decode: (settings) => decodeBlueGreen(settings as Parameters<typeof decodeBlueGreen>[0])
  }
}
