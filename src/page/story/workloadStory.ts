import { changeSentences, createdSentence, imagesIn } from "./templateSentences.ts"
import { roughDuration } from "../../kubernetes/meta/amounts/durations.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { StorySentence } from "./storySentence.ts"
import type { WorkloadHealth } from "../../explain/health/healthLeads.ts"

export interface StoryMoment {
  readonly number: number
  readonly atMillis: number
  readonly workload: KubeObject | undefined
  /** `lead` is the worse of health and progress. */
  readonly health: WorkloadHealth | undefined
  /** `2 of 5 available`. */
  readonly figures: string
}

export interface WorkloadStory {
  /** The same instant may be added again, with a later number. */
  readonly add: (moment: StoryMoment) => void
  readonly sentences: () => ReadonlyArray<StorySentence>
}

/** The sentence of a shorter phase is removed: the workload only passed through it. */
const phaseMillisMin = 500

/** A state in which the cause stays the same but for its counts. */
interface Phase {
  readonly key: string
  readonly beganMillis: number
  /** A growing count replaces the phase's sentence; undefined without a sentence. */
  sentenceIndex: number | undefined
  podCount: number
}

export const makeWorkloadStory = (address: PageAddress): WorkloadStory => {
  const sentences: Array<StorySentence | undefined> = []
  const earlierImages: Array<string> = []
  let workloadBefore: KubeObject | undefined
  let isFirstMoment = true
  let phase: Phase | undefined
  let wasComplete = false
  /** Since when the rollout is awaited; undefined once it is complete. */
  let awaitedSinceMillis: number | undefined

  const addSentence = (moment: StoryMoment, text: string, tone: StorySentence["tone"]): number =>
    sentences.push({ number: moment.number, atMillis: moment.atMillis, text, tone, address }) - 1

  const addWorkloadSentences = (moment: StoryMoment): void => {
    const { workload, atMillis } = moment
    if (workloadBefore === undefined && workload !== undefined) {
      if (!isFirstMoment) {
        addSentence(moment, createdSentence(workload), "plain")
        awaitedSinceMillis = atMillis
      }
    } else if (workloadBefore !== undefined && workload === undefined)
      addSentence(moment, "it was deleted", "plain")
    else if (workloadBefore !== undefined && workload !== undefined) {
      for (const text of changeSentences(workloadBefore, workload, earlierImages)) {
        addSentence(moment, text, "plain")
        awaitedSinceMillis = atMillis
        wasComplete = false
      }
      const images = imagesIn(workloadBefore)
      if (images !== imagesIn(workload) && !earlierImages.includes(images)) earlierImages.push(images)
    }
    isFirstMoment = false
    workloadBefore = workload
  }

  const addPhaseSentence = (moment: StoryMoment, health: WorkloadHealth): void => {
    const { lead, cause = "" } = health
    const key = `${lead} ${withoutCounts(cause)}`
    const podCount = podsIn(cause)
    const sentence = phaseSentence(moment, health)
    if (phase?.key === key) {
      if (phase.sentenceIndex !== undefined && sentence !== undefined && podCount > phase.podCount) {
        sentences[phase.sentenceIndex] = undefined
        phase.podCount = podCount
        phase.sentenceIndex = addSentence(moment, ...sentence)
      }
      return
    }
    if (phase?.sentenceIndex !== undefined && moment.atMillis - phase.beganMillis < phaseMillisMin)
      sentences[phase.sentenceIndex] = undefined
    const sentenceIndex = sentence === undefined ? undefined : addSentence(moment, ...sentence)
    phase = { key, beganMillis: moment.atMillis, sentenceIndex, podCount }
  }

  /** Undefined for a rollout without trouble. */
  const phaseSentence = (
    moment: StoryMoment,
    { lead, cause }: WorkloadHealth
  ): [text: string, tone: StorySentence["tone"]] | undefined => {
    if (completeLeads.has(lead)) {
      if (wasComplete) return undefined
      wasComplete = true
      const tookText =
        awaitedSinceMillis === undefined
          ? ""
          : ` after ${roughDuration(moment.atMillis - awaitedSinceMillis)}`
      const isNews = awaitedSinceMillis !== undefined || phase !== undefined
      awaitedSinceMillis = undefined
      return isNews ? [`${lead}: ${moment.figures}${tookText}`, "good"] : undefined
    }
    if (lead === "idle" || lead === "paused" || lead === "suspended") return undefined
    if (lead === "rolling out" || lead === "running")
      return cause === undefined ? undefined : [`${lead}: ${cause}`, "bad"]
    wasComplete = false
    awaitedSinceMillis ??= moment.atMillis
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

/** Neither a number nor a plural makes another phase. */
const withoutCounts = (cause: string): string => cause.replaceAll(/\d+/gu, "#").replaceAll(/s\b/gu, "")

/** The Pods that a cause counts: 6 in `node-3 is lost, with 4 Pods; 2 new Pods find no node`. */
const podsIn = (cause: string): number =>
  [...cause.matchAll(/(\d+) (?:new |old )?Pods?\b/gu)].reduce((sum, [, count]) => sum + Number(count), 0)

const completeLeads: ReadonlySet<string> = new Set(["complete", "steady"])
