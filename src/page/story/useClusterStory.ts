import { makeClusterStory } from "./clusterStory.ts"
import { useEffect, useMemo } from "preact/hooks"
import { usePageState } from "../pageState.ts"
import { useSignal } from "../useSignal.ts"
import { useStoryTracks } from "./useStoryTracks.ts"
import type { ClusterHistory } from "../history/clusterHistory.ts"
import type { Signal } from "../signal.ts"
import type { StorySentence } from "./storySentence.ts"
import type { WorkloadTrack } from "../timeline/series/timelineSeries.ts"

/** Short slices keep the page responsive. */
const [sliceMillis, pauseMillis] = [8, 24]

export const useClusterStory = (
  sentences: Signal<ReadonlyArray<StorySentence>>,
  { isWanted, coversAllWorkloads }: { readonly isWanted: boolean; readonly coversAllWorkloads: boolean }
): void => {
  const { history } = usePageState()
  const shownHistory = useSignal(history)
  const tracks = useStoryTracks(shownHistory, coversAllWorkloads)
  const uids = tracks.map(({ uid }) => uid).join(" ")
  // Each change makes new tracks, but the story begins again only when their uids change.
  const storyTracks = useMemo(() => tracks, [shownHistory, uids])
  useEffect(
    () => (isWanted ? followStory(shownHistory, storyTracks, sentences) : undefined),
    [shownHistory, storyTracks, isWanted, sentences]
  )
}

const followStory = (
  history: ClusterHistory,
  tracks: ReadonlyArray<WorkloadTrack>,
  sentences: Signal<ReadonlyArray<StorySentence>>
): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let beginNumber = history.beginNumber
  let story = makeClusterStory(history, tracks)
  sentences.set([])
  const readSlice = (): void => {
    timer = undefined
    if (history.beginNumber !== beginNumber) {
      // Dropped entries change the indexes of the others.
      beginNumber = history.beginNumber
      story = makeClusterStory(history, tracks)
    }
    const isDone = story.readSlice(sliceMillis)
    const read = story.sentences()
    if (!isSameStory(read, sentences.get())) sentences.set(read)
    if (!isDone) schedule()
  }
  const schedule = (): void => {
    timer ??= setTimeout(readSlice, pauseMillis)
  }
  const unsubscribe = history.publishCount.subscribe(schedule)
  schedule()
  return () => {
    unsubscribe()
    clearTimeout(timer)
  }
}

const isSameStory = (a: ReadonlyArray<StorySentence>, b: ReadonlyArray<StorySentence>): boolean =>
  a.length === b.length &&
  a.every(({ number, text, tone }, index) => {
    const other = b[index]
    return number === other?.number && text === other.text && tone === other.tone
  })
