import { errorText } from "../../kubernetes/meta/text/errorText.ts"
import type { ChangeLog } from "../../store/durable/changeLog.ts"
import type { CommitSchedule } from "../../store/durable/durability.ts"

interface ScheduleState {
  readonly directory: string
  readonly log: Pick<ChangeLog<unknown>, "commit" | "compactStep" | "isFailing">
  isEnded: boolean
  changeCount: number
  plannedCommit: NodeJS.Immediate | undefined
  plannedCompaction: NodeJS.Immediate | undefined
  sharedCommit: PromiseWithResolvers<void> | undefined
}

/** Steps at the end of the schedule, which take a tenth of a second. */
const finalCompactionSteps = 100

/** How often a quiet cluster is stored and compacted, by the machine's clock. */
const commitIntervalMillis = 1000

export const makeCommitSchedule = (directory: string, log: ScheduleState["log"]): CommitSchedule => {
  const state: ScheduleState = {
    directory,
    log,
    isEnded: false,
    changeCount: 0,
    plannedCommit: undefined,
    plannedCompaction: undefined,
    sharedCommit: undefined
  }
  const timer = setInterval(() => {
    commitQuietly(state)
    clearImmediate(state.plannedCompaction)
    compactQuietly(state)
  }, commitIntervalMillis).unref()
  return {
    commit: () => commitLog(state),
    commitAtTurnEnd: () => {
      if (state.sharedCommit === undefined) {
        state.sharedCommit = Promise.withResolvers<void>()
        setImmediate(runSharedCommit, state, state.sharedCommit)
      }
      return state.sharedCommit.promise
    },
    changeAdded: () => {
      state.changeCount += 1
      state.plannedCommit ??= setImmediate(commitQuietly, state)
    },
    end: () => {
      commitQuietly(state)
      for (let step = 0; step < finalCompactionSteps && compactStep(state); step += 1);
      state.isEnded = true
      clearImmediate(state.plannedCommit)
      clearImmediate(state.plannedCompaction)
      clearInterval(timer)
    }
  }
}

const commitLog = ({ log, directory }: ScheduleState): void => {
  try {
    log.commit()
  } catch (error) {
    throw new Error(
      `the data directory ${directory} cannot be written: ${errorText(error)}. ` +
        "What was answered before is kept; requests are served again as soon as it can be written",
      { cause: error }
    )
  }
}

const runSharedCommit = (state: ScheduleState, waiting: PromiseWithResolvers<void>): void => {
  state.sharedCommit = undefined
  try {
    if (!state.isEnded) commitLog(state)
    else if (state.log.isFailing())
      throw new Error(`the data directory ${state.directory} could not be written`)
    waiting.resolve()
  } catch (error) {
    waiting.reject(error)
  }
}

/** Requests report an error. The next request, change and timer try again. */
const commitQuietly = (state: ScheduleState): void => {
  state.plannedCommit = undefined
  if (state.isEnded) return
  try {
    commitLog(state)
  } catch {}
}

/** Compacts in small steps, so that no request waits long. */
const compactQuietly = (state: ScheduleState): void => {
  if (!compactStep(state)) return
  const countBefore = state.changeCount
  state.plannedCompaction = setImmediate(() => {
    if (state.changeCount === countBefore) compactQuietly(state)
  })
}

/** Returns whether more can be compacted. */
const compactStep = ({ isEnded, log }: ScheduleState): boolean => {
  if (isEnded) return false
  try {
    return log.compactStep()
  } catch {
    return false
  }
}
