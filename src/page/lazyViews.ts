import { CompareView } from "./moment/compareView.tsx"
import { HelpView } from "./helpView.tsx"
import { ObjectView } from "./object/objectView.tsx"
import { PaletteView } from "./palette/paletteView.tsx"
import { ReportStory } from "./story/reportStory.tsx"
import { StoryView } from "./story/storyView.tsx"

/** The build puts these views into a file of their own, which `lazyView` loads. */
export const lazyViews = { CompareView, HelpView, ObjectView, PaletteView, ReportStory, StoryView }
