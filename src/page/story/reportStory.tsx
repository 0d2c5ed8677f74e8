import { createPortal } from "preact/compat"
import { SentenceList } from "./storyView.tsx"
import { useSignal } from "../useSignal.ts"
import type { Signal } from "../signal.ts"
import type { StoryPlayer } from "./storyPlayer.ts"

/** Where the report tells the story of its recording. */
const storyElement = document.getElementById("report-story")

interface ReportStoryProps {
  /** Whether the report is shown, and not its recording. */
  readonly reportOpen: Signal<boolean>
  readonly story: StoryPlayer
}

/** The story among the first of a report. A press on a sentence shows its moment. */
export const ReportStory = ({ reportOpen, story }: ReportStoryProps) => {
  const sentences = useSignal(story.sentences)
  if (storyElement === null || sentences.length === 0) return null
  const show = (index: number): void => {
    reportOpen.set(false)
    story.show(index)
  }
  return createPortal(
    <>
      <h2>What happened</h2>
      <SentenceList sentences={sentences} shownIndex={-1} show={show} />
    </>,
    storyElement
  )
}
