import { changeSentences, createdSentence, imagesIn } from "./templateSentences.ts"
import { roughDuration } from "../../kubernetes/meta/amounts/durations.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { StorySentence } from "./storySentence.ts"
import type { WorkloadHealth } from "../../explain/health/healthLeads.ts"

/** What a story needs to know of a workload at an instant. */
export interface StoryMoment {
  readonly number: number
  readonly atMillis: number
  readonly workload: KubeObject | undefined
  /** Its `lead` is the worse of health and progress, such as "down" or "rolling out". */
  readonly health: WorkloadHealth | undefined
  /** `2 of 5 available`. */
  readonly figures: string
}

export interface WorkloadStory {
  /** Instants in order; one instant may come again with a later number. */
  readonly add: (moment: StoryMoment) => void
  readonly sentences: () => ReadonlyArray<StorySentence>
}

/** What lasts for less than this is on the way from one state to the next. */
const phaseMillisMin = 500

/** A state in which the cause stays the same but for its counts. */
interface Phase {
  readonly key: string
  readonly beganMillis: number
  /** The sentence of the phase, which is told again when its count grows; undefined for one without. */
  index: number | undefined
  count: number
}

/** Folds the instants of one workload into sentences: what clients asked for, and what came of it. */
export const makeWorkloadStory = (address: PageAddress): WorkloadStory => {
  const sentences: Array<StorySentence | undefined> = []
  const earlierImages: Array<string> = []
  let before: KubeObject | undefined
  let isFirst = true
  let phase: Phase | undefined
  let wasComplete = false
  /** Since when the wanted state has not been reached. */
  let sinceMillis: number | undefined

  const addSentence = (moment: StoryMoment, text: string, tone: StorySentence["tone"]): number =>
    sentences.push({ number: moment.number, atMillis: moment.atMillis, text, tone, address }) - 1

  const addWorkloadSentences = (moment: StoryMoment): void => {
    const { workload, atMillis } = moment
    if (before === undefined && workload !== undefined) {
      if (!isFirst) {
        addSentence(moment, createdSentence(workload), "plain")
        sinceMillis = atMillis
      }
    } else if (before !== undefined && workload === undefined) addSentence(moment, "it was deleted", "plain")
    else if (before !== undefined && workload !== undefined) {
      for (const text of changeSentences(before, workload, earlierImages)) {
        addSentence(moment, text, "plain")
        sinceMillis = atMillis
        wasComplete = false
      }
      const images = imagesIn(before)
      if (images !== imagesIn(workload) && !earlierImages.includes(images)) earlierImages.push(images)
    }
    isFirst = false
    before = workload
  }

  const addPhaseSentence = (moment: StoryMoment, health: WorkloadHealth): void => {
    const { lead, cause = "" } = health
    const key = `${lead} ${cause.replaceAll(/\d+/gu, "#").replaceAll(/s\b/gu, "")}`
    const count = podsIn(cause)
    const sentence = phaseSentence(moment, health)
    if (phase?.key === key) {
      if (phase.index !== undefined && sentence !== undefined && count > phase.count) {
        sentences[phase.index] = undefined
        phase.count = count
        phase.index = addSentence(moment, ...sentence)
      }
      return
    }
    if (phase?.index !== undefined && moment.atMillis - phase.beganMillis < phaseMillisMin)
      sentences[phase.index] = undefined
    const index = sentence === undefined ? undefined : addSentence(moment, ...sentence)
    phase = { key, beganMillis: moment.atMillis, index, count }
  }

  /** Undefined for what is no news, such as a rollout without trouble. */
  const phaseSentence = (
    moment: StoryMoment,
    { lead, cause }: WorkloadHealth
  ): [text: string, tone: StorySentence["tone"]] | undefined => {
    if (reachedLeads.has(lead)) {
      if (wasComplete) return undefined
      wasComplete = true
      const tookText =
        sinceMillis === undefined ? "" : ` after ${roughDuration(moment.atMillis - sinceMillis)}`
      const isNews = sinceMillis !== undefined || phase !== undefined
      sinceMillis = undefined
      return isNews ? [`${lead}: ${moment.figures}${tookText}`, "good"] : undefined
    }
    if (lead === "idle" || lead === "paused" || lead === "suspended") return undefined
    if (lead === "rolling out" || lead === "running")
      return cause === undefined ? undefined : [`${lead}: ${cause}`, "bad"]
    wasComplete = false
    sinceMillis ??= moment.atMillis
    return [cause === undefined ? `${lead}: ${moment.figures}` : `${lead}: ${cause}`, "bad"]
  }

  return {
    add: (moment) => {
      addWorkloadSentences(moment)
      if (moment.workload !== undefined && moment.health !== undefined)
        addPhaseSentence(moment, moment.health)
      else phase = undefined
    },
    sentences: () => sentences.filter((it) => it !== undefined)
  }
}

/** How many Pods a cause tells of: `node-3 is lost, with 4 Pods; 2 new Pods find no node` of 6. */
const podsIn = (cause: string): number =>
  [...cause.matchAll(/(\d+) (?:new |old )?Pods?\b/gu)].reduce((sum, [, count]) => sum + Number(count), 0)

/** The progress of a workload that has reached what was asked for. */
const reachedLeads: ReadonlySet<string> = new Set(["complete", "steady"])
