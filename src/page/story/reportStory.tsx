import { createPortal } from "preact/compat"
import { SentenceList } from "./storyView.tsx"
import { useSignal } from "../useSignal.ts"
import type { Signal } from "../signal.ts"
import type { StoryPlayer } from "./storyPlayer.ts"

const storyElement = document.getElementById("report-story")

interface ReportStoryProps {
  readonly reportOpen: Signal<boolean>
  readonly story: StoryPlayer
}

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
      <SentenceList sentences={sentences} shownIndex={undefined} show={show} />
    </>,
    storyElement
  )
}
