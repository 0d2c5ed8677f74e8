import { fleetHealth } from "../fleet/fleetHealth.ts"
import { floorSentences, missedDeadlineSentences } from "./boundSentences.ts"
import { sortSentences } from "./storySentence.ts"
import { makeWorkloadStory } from "./workloadStory.ts"
import { roughDuration } from "../../kubernetes/meta/amounts/durations.ts"
import type { ClusterHistory } from "../history/clusterHistory.ts"
import type { StorySentence } from "./storySentence.ts"
import type { WorkloadTrack } from "../timeline/series/timelineSeries.ts"

/** Tells a history in sentences. A long one is read in slices. */
export interface ClusterStory {
  /** Returns whether the story has reached the end of the history. */
  readonly readSlice: (budgetMillis: number) => boolean
  /** The sentences in the order of time, with the faults and notes of the recording. */
  readonly sentences: () => ReadonlyArray<StorySentence>
}

type StoryHistory = Pick<ClusterHistory, "walk" | "faults" | "notes" | "beginNumber">

export const makeClusterStory = (
  history: StoryHistory,
  tracks: ReadonlyArray<WorkloadTrack>,
  nowMillis: () => number = () => performance.now()
): ClusterStory => {
  const storyReaders = tracks.map((track) => {
    const { uid, kind, namespace, name } = track
    const walk = history.walk(uid)
    const story = makeWorkloadStory({ kind, namespace, name })
    const readNext = (): boolean => {
      const moment = walk.next()
      if (moment === undefined) return false
      const { number, atMillis, fleet } = moment
      const card = fleetHealth(fleet).get(uid)
      story.add({ number, atMillis, workload: card?.workload, health: card, figures: card?.figures ?? "" })
      return true
    }
    return { track, story, readNext }
  })
  return {
    readSlice: (budgetMillis) => {
      const endMillis = nowMillis() + budgetMillis
      for (const { readNext } of storyReaders) while (readNext()) if (nowMillis() > endMillis) return false
      return true
    },
    sentences: () => {
      const ofWorkloads = storyReaders.flatMap(({ track, story }) => [
        ...story.sentences(),
        ...floorSentences(track),
        ...missedDeadlineSentences(track)
      ])
      return sortSentences([...faultAndNoteSentences(history), ...ofWorkloads])
    }
  }
}

const faultAndNoteSentences = ({
  faults,
  notes,
  beginNumber
}: StoryHistory): ReadonlyArray<StorySentence> => [
  ...faults.flatMap(({ text, beganNumber, beganMillis, endedNumber, endedMillis }): Array<StorySentence> => {
    const began = { number: beganNumber, atMillis: beganMillis, text, tone: "bad" as const }
    if (endedNumber === undefined || endedMillis === undefined) return [began]
    const lasted = roughDuration(endedMillis - beganMillis)
    const ended = { number: endedNumber, atMillis: endedMillis, text: `over after ${lasted}: ${text}` }
    return [...(beganNumber <= beginNumber ? [] : [began]), { ...ended, tone: "good" as const }]
  }),
  ...notes.map(({ number, atMillis, text, level, step }): StorySentence => ({
    number,
    atMillis,
    text: step === undefined ? text : `step ${step}: ${text}`,
    tone: level === "failure" ? "bad" : "plain"
  }))
]
