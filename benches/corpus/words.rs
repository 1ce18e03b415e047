//! The words generated notes are made of: English and Chinese, the usual ones first, and the words that are planted.
//!
//! Only lists and what makes samplers of them. It writes no notes.

use std::collections::BTreeSet;

use super::random::Random;

/// Planted in exactly seven notes.
pub const RARE: &str = "quillwort";
/// Planted in every tenth note.
pub const COMMON: &str = "lighthouse";
/// Planted in about one note of a hundred. `存` stands nowhere below, so two neighbouring words never make it up.
pub const CHINESE: &str = "生存";
/// Planted nowhere.
pub const ABSENT: &str = "xenolith";

/// How many English words there are: some three hundred real ones, the rest made of syllables.
const ENGLISH_WORDS: usize = 2_400;
/// Entries of a sampler's table: fine enough to tell rank 2,000 from rank 1,000, small enough to stay in cache.
const TABLE: usize = 1 << 16;

/// Folders at the top.
pub const TOP_FOLDERS: [&str; 12] = [
    "projects",
    "journal",
    "reading",
    "工作",
    "reference",
    "读书",
    "meetings",
    "people",
    "recipes",
    "旅行",
    "archive",
    "inbox",
];
/// Tags in front matter and text.
pub const TAGS: [&str; 16] = [
    "mcp",
    "rust",
    "reading",
    "project/alpha",
    "project/beta",
    "kitchen",
    "travel",
    "meeting",
    "idea",
    "health",
    "读书",
    "工作",
    "生活",
    "会议",
    "reference",
    "todo",
];

const ENGLISH: &str = "the of and to in a is that for it was on with as be by at this not are but from or have an they \
which one you were all her she there would their we him been has when who will no more if out so up said what its about \
than into them can only other time new some could these two may first then do any like my now over such our man me even \
most made after also did many before must through years where much your way well down should because each just those \
people how too little state good very make world still see own work long here get both between life being under three \
never know same last another while us off might great go come since against right take used himself few house use place \
during without again home around small however found thought went say part once general high upon school every does got \
united left number course war until always away something fact water less public put thing almost hand enough far took \
head yet system better set told nothing night end why called eyes find going look asked later point knew next program \
city business group give young days let room word side social given several order national second possible rather per \
face among form important often things early white case large big need best felt along god least power light light sea \
garden river kitchen letter paper bread morning evening winter summer autumn spring window table street bridge canal \
train ticket server client message request answer error cursor folder note search index line number column heading tag \
title date budget memory buffer channel thread lock queue parser token string character byte encoding schema version \
revision protocol transport session argument default limit range result value pattern module function release branch \
commit review meeting draft plan decision question idea reason example summary detail list task deadline owner mountain \
forest kettle lamp pencil market lemon ginger noodle onion pepper orange copper silver harbour island coast weather cloud";

const ONSETS: [&str; 24] = [
    "b", "br", "c", "cl", "d", "dr", "f", "fl", "g", "gr", "h", "k", "l", "m", "n", "p", "pr", "r", "s", "st", "t",
    "tr", "v", "w",
];
const MIDDLES: [&str; 20] =
    ["a", "al", "am", "ar", "e", "el", "em", "en", "er", "i", "il", "im", "in", "o", "ol", "on", "or", "u", "um", "un"];
const ENDINGS: [&str; 24] = [
    "ble", "ce", "d", "dage", "der", "ding", "dle", "gate", "ger", "ke", "ket", "land", "ment", "mer", "ness", "ning",
    "nt", "pe", "ry", "se", "ster", "tion", "ton", "ty",
];

const CHINESE_WORDS: &str = "我们 你们 他们 自己 什么 这个 那个 一个 没有 可以 因为 所以 如果 但是 然后 时候 现在 今天 明天 昨天 \
早上 晚上 上午 下午 时间 地方 问题 事情 办法 工作 项目 会议 计划 结果 原因 开始 结束 完成 修改 发布 测试 代码 程序 系统 服务 客户 \
协议 版本 消息 请求 回答 错误 参数 工具 模型 搜索 笔记 文件 目录 标题 标签 日期 游标 分页 编码 字符 内容 数据 接口 性能 速度 线程 \
读书 作者 故事 历史 社会 经济 文化 语言 文字 思想 自然 环境 选择 变化 发展 生活 生产 学习 研究 方法 理论 经验 关系 影响 意义 城市 \
春天 夏天 秋天 冬天 天气 下雨 太阳 月亮 山上 河边 花园 厨房 味道 米饭 面条 豆腐 青菜 水果 茶叶 朋友 家人 孩子 父亲 母亲 老师 同学 \
公司 火车 飞机 机场 酒店 路上 北京 上海 杭州 南方 北方 世界 国家 人民 政府 技术 科学 艺术 音乐 电影 照片 电话 电脑 手机 网络 简单 \
复杂 重要 容易 困难 清楚 觉得 知道 认为 发现 希望 需要 应该 已经 一直 还是 只是 或者 而且 虽然 不过 其实 大概 比较 非常 特别";
const CHINESE_CHARACTERS: &str = "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可\
她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高\
意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听\
世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金\
何更反合放做系计或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科\
怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周保达办运武半候七必城父强步完革深区即求品士转量空甚\
众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据导影失拿网";

/// Words, and how often each of them comes up.
#[derive(Debug)]
pub struct Lexicon {
    words: Vec<String>,
    table: Vec<u16>,
}

impl Lexicon {
    /// The English words, a Zipf-like distribution over a fixed order.
    pub fn english() -> Self {
        let mut words: Vec<String> = Vec::new();
        let mut seen = BTreeSet::new();
        for word in ENGLISH.split_whitespace() {
            if seen.insert(word.to_owned()) {
                words.push(word.to_owned());
            }
        }
        let mut random = Random::new(1);
        while words.len() < ENGLISH_WORDS {
            let mut word = String::new();
            for _ in 0..=random.below(2) {
                word.push_str(random.pick::<&str>(&ONSETS));
                word.push_str(random.pick::<&str>(&MIDDLES));
            }
            word.push_str(random.pick::<&str>(&ENDINGS));
            if seen.insert(word.clone()) {
                words.push(word);
            }
        }
        Self::new(words)
    }

    /// The Chinese words and single characters.
    pub fn chinese() -> Self {
        let mut words = CHINESE_WORDS.split_whitespace().map(String::from);
        let mut characters = CHINESE_CHARACTERS.chars().map(String::from);
        // A word, then a character, and so on: both kinds have frequent and infrequent members.
        let mut mixed = Vec::new();
        loop {
            let before = mixed.len();
            mixed.extend(words.next());
            mixed.extend(characters.next());
            if mixed.len() == before {
                break;
            }
        }
        Self::new(mixed)
    }

    /// A word, each as often as the other: for names and titles, which are seldom made of `the` and `of`.
    pub fn name(&self, random: &mut Random) -> &str {
        random.pick::<String>(&self.words)
    }

    /// A word, the first ones far more often than the last ones.
    pub fn word(&self, random: &mut Random) -> &str {
        &self.words[usize::from(*random.pick(&self.table))]
    }

    fn new(words: Vec<String>) -> Self {
        for planted in [RARE, COMMON, CHINESE, ABSENT] {
            assert!(!words.iter().any(|word| word.contains(planted)), "`{planted}` must only be where it is planted");
        }
        assert!(!words.iter().any(|word| word.contains('存')), "neighbouring words must not make up the planted one");
        let weights: Vec<usize> = (0..words.len()).map(|rank| 1_000_000_000 / (10 * rank + 27)).collect();
        let total: usize = weights.iter().sum();
        let mut table = Vec::with_capacity(TABLE + words.len());
        for (rank, weight) in (0..=u16::MAX).zip(weights) {
            table.extend(std::iter::repeat_n(rank, (weight * TABLE / total).max(1)));
        }
        Self { words, table }
    }
}
