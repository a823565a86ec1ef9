"""Honest answers in many languages, for tools/eval-bounds: the same six plain sentences, and names of people.

Words of a language that writes no blanks between words (Chinese, Japanese, Thai) are separated here all the same, so
that answers of a number of words can be made; `written` joins them again.
"""

# language: script, sentences
TEXTS = {
    "English": ("Latin", """
the meeting was moved to thursday because the supplier could not deliver the parts in time
all human beings are born free and equal in dignity and rights
the invoice of march covers twelve hours of consulting and must be paid within thirty days
our office in the old town stays closed until the repairs of the roof are finished
the doctor recommends more exercise less salt and a second examination in autumn
the customer complains that the package arrived damaged and asks for a replacement"""),
    "German": ("Latin", """
die besprechung wurde auf donnerstag verschoben weil der lieferant die ersatzteile nicht rechtzeitig liefern konnte
alle menschen sind frei und gleich an würde und rechten geboren
die rechnung vom märz umfasst zwölf stunden beratung und ist innerhalb von dreißig tagen zu bezahlen
unser büro in der altstadt bleibt geschlossen bis die reparatur des daches abgeschlossen ist
die ärztin empfiehlt mehr bewegung weniger salz und eine zweite untersuchung im herbst
der kunde beschwert sich dass das paket beschädigt angekommen ist und bittet um ersatzlieferung"""),
    "French": ("Latin", """
la réunion a été déplacée à jeudi parce que le fournisseur ne pouvait pas livrer les pièces à temps
tous les êtres humains naissent libres et égaux en dignité et en droits
la facture de mars comprend douze heures de conseil et doit être payée dans les trente jours
notre bureau dans la vieille ville reste fermé jusqu'à la fin des réparations du toit
le médecin recommande davantage d'exercice moins de sel et un deuxième examen en automne
le client se plaint que le colis est arrivé endommagé et demande un remplacement"""),
    "Spanish": ("Latin", """
la reunión se trasladó al jueves porque el proveedor no podía entregar las piezas a tiempo
todos los seres humanos nacen libres e iguales en dignidad y derechos
la factura de marzo comprende doce horas de asesoramiento y debe pagarse dentro de treinta días
nuestra oficina en el casco antiguo permanece cerrada hasta que terminen las reparaciones del tejado
la médica recomienda más ejercicio menos sal y una segunda revisión en otoño
el cliente se queja de que el paquete llegó dañado y pide una sustitución"""),
    "Italian": ("Latin", """
la riunione è stata spostata a giovedì perché il fornitore non poteva consegnare i pezzi in tempo
tutti gli esseri umani nascono liberi ed eguali in dignità e diritti
la fattura di marzo comprende dodici ore di consulenza e deve essere pagata entro trenta giorni
il nostro ufficio nel centro storico rimane chiuso fino al termine delle riparazioni del tetto
il medico raccomanda più movimento meno sale e una seconda visita in autunno
il cliente si lamenta che il pacco è arrivato danneggiato e chiede una sostituzione"""),
    "Portuguese": ("Latin", """
a reunião foi adiada para quinta-feira porque o fornecedor não conseguiu entregar as peças a tempo
todos os seres humanos nascem livres e iguais em dignidade e em direitos
a fatura de março inclui doze horas de consultoria e deve ser paga no prazo de trinta dias
o nosso escritório no centro histórico permanece fechado até ao fim da reparação do telhado
a médica recomenda mais exercício menos sal e um segundo exame no outono
o cliente queixa-se de que a encomenda chegou danificada e pede uma substituição"""),
    "Dutch": ("Latin", """
de vergadering is verplaatst naar donderdag omdat de leverancier de onderdelen niet op tijd kon leveren
alle mensen worden vrij en gelijk in waardigheid en rechten geboren
de factuur van maart omvat twaalf uur advies en moet binnen dertig dagen worden betaald
ons kantoor in de oude binnenstad blijft gesloten tot de reparatie van het dak klaar is
de arts adviseert meer beweging minder zout en een tweede onderzoek in het najaar
de klant klaagt dat het pakket beschadigd is aangekomen en vraagt om vervanging"""),
    "Polish": ("Latin", """
spotkanie przeniesiono na czwartek ponieważ dostawca nie mógł dostarczyć części na czas
wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw
faktura za marzec obejmuje dwanaście godzin doradztwa i musi zostać zapłacona w ciągu trzydziestu dni
nasze biuro na starym mieście pozostaje zamknięte do zakończenia naprawy dachu
lekarka zaleca więcej ruchu mniej soli i drugie badanie jesienią
klient skarży się że paczka dotarła uszkodzona i prosi o wymianę"""),
    "Czech": ("Latin", """
schůzka byla přesunuta na čtvrtek protože dodavatel nemohl dodat díly včas
všichni lidé se rodí svobodní a sobě rovní co do důstojnosti a práv
faktura za březen zahrnuje dvanáct hodin poradenství a musí být zaplacena do třiceti dnů
naše kancelář ve starém městě zůstává zavřená až do dokončení opravy střechy
lékařka doporučuje více pohybu méně soli a druhé vyšetření na podzim
zákazník si stěžuje že balík dorazil poškozený a žádá o výměnu"""),
    "Hungarian": ("Latin", """
a megbeszélést csütörtökre halasztották mert a beszállító nem tudta időben leszállítani az alkatrészeket
minden emberi lény szabadon születik és egyenlő méltósága és joga van
a márciusi számla tizenkét óra tanácsadást tartalmaz és harminc napon belül kell kifizetni
az óvárosi irodánk zárva marad amíg a tető javítása be nem fejeződik
az orvos több mozgást kevesebb sót és őszre egy második vizsgálatot javasol
az ügyfél panaszkodik hogy a csomag sérülten érkezett és cserét kér"""),
    "Finnish": ("Latin", """
kokous siirrettiin torstaille koska toimittaja ei pystynyt toimittamaan osia ajoissa
kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan
maaliskuun lasku sisältää kaksitoista tuntia neuvontaa ja se on maksettava kolmenkymmenen päivän kuluessa
toimistomme vanhassakaupungissa pysyy suljettuna kunnes katon korjaukset on saatu valmiiksi
lääkäri suosittelee enemmän liikuntaa vähemmän suolaa ja toista tutkimusta syksyllä
asiakas valittaa että paketti saapui vahingoittuneena ja pyytää uutta tilalle"""),
    "Turkish": ("Latin", """
tedarikçi parçaları zamanında teslim edemediği için toplantı perşembe gününe alındı
bütün insanlar özgür onur ve haklar bakımından eşit doğarlar
mart faturası on iki saatlik danışmanlığı kapsıyor ve otuz gün içinde ödenmelidir
eski şehirdeki ofisimiz çatı onarımı bitene kadar kapalı kalacak
doktor daha fazla egzersiz daha az tuz ve sonbaharda ikinci bir muayene öneriyor
müşteri paketin hasarlı geldiğinden şikayet ediyor ve değiştirilmesini istiyor"""),
    "Vietnamese": ("Latin", """
cuộc họp được dời sang thứ năm vì nhà cung cấp không thể giao linh kiện kịp thời
tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi
hóa đơn tháng ba gồm mười hai giờ tư vấn và phải được thanh toán trong vòng ba mươi ngày
văn phòng của chúng tôi ở khu phố cổ vẫn đóng cửa cho đến khi sửa xong mái nhà
bác sĩ khuyên nên tập thể dục nhiều hơn ăn ít muối và khám lại lần hai vào mùa thu
khách hàng phàn nàn rằng gói hàng bị hư hỏng khi đến nơi và yêu cầu đổi hàng"""),
    "Russian": ("Cyrillic", """
встреча перенесена на четверг потому что поставщик не смог вовремя доставить детали
все люди рождаются свободными и равными в своём достоинстве и правах
мартовский счёт включает двенадцать часов консультаций и должен быть оплачен в течение тридцати дней
наш офис в старом городе остаётся закрытым до окончания ремонта крыши
врач рекомендует больше движения меньше соли и повторное обследование осенью
клиент жалуется что посылка пришла повреждённой и просит её заменить"""),
    "Ukrainian": ("Cyrillic", """
зустріч перенесено на четвер тому що постачальник не зміг вчасно доставити деталі
всі люди народжуються вільними і рівними у своїй гідності та правах
рахунок за березень охоплює дванадцять годин консультацій і має бути сплачений протягом тридцяти днів
наш офіс у старому місті залишається зачиненим до завершення ремонту даху
лікарка радить більше рухатися вживати менше солі та пройти друге обстеження восени
клієнт скаржиться що посилка прийшла пошкодженою і просить її замінити"""),
    "Greek": ("Greek", """
η συνάντηση μεταφέρθηκε την πέμπτη επειδή ο προμηθευτής δεν μπορούσε να παραδώσει τα ανταλλακτικά εγκαίρως
όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα
το τιμολόγιο του μαρτίου περιλαμβάνει δώδεκα ώρες συμβουλών και πρέπει να πληρωθεί εντός τριάντα ημερών
το γραφείο μας στην παλιά πόλη παραμένει κλειστό μέχρι να ολοκληρωθεί η επισκευή της στέγης
ο γιατρός συνιστά περισσότερη άσκηση λιγότερο αλάτι και μια δεύτερη εξέταση το φθινόπωρο
ο πελάτης παραπονιέται ότι το δέμα έφτασε κατεστραμμένο και ζητά αντικατάσταση"""),
    "Arabic": ("Arabic", """
تم تأجيل الاجتماع إلى يوم الخميس لأن المورد لم يتمكن من تسليم القطع في الوقت المحدد
يولد جميع الناس أحرارا متساوين في الكرامة والحقوق
تشمل فاتورة شهر مارس اثنتي عشرة ساعة من الاستشارات ويجب دفعها خلال ثلاثين يوما
يبقى مكتبنا في المدينة القديمة مغلقا حتى الانتهاء من إصلاح السقف
يوصي الطبيب بمزيد من التمارين وتقليل الملح وإجراء فحص ثان في الخريف
يشتكي العميل من أن الطرد وصل تالفا ويطلب استبداله"""),
    "Persian": ("Arabic", """
جلسه به روز پنجشنبه موکول شد چون تامین کننده نتوانست قطعات را به موقع تحویل دهد
تمام افراد بشر آزاد به دنیا می آیند و از لحاظ حیثیت و حقوق با هم برابرند
صورتحساب ماه مارس شامل دوازده ساعت مشاوره است و باید ظرف سی روز پرداخت شود
دفتر ما در شهر قدیم تا پایان تعمیر سقف بسته می ماند
پزشک ورزش بیشتر نمک کمتر و معاینه دوم در پاییز را توصیه می کند
مشتری شکایت دارد که بسته آسیب دیده رسیده و درخواست تعویض می کند"""),
    "Hebrew": ("Hebrew", """
הפגישה נדחתה ליום חמישי מפני שהספק לא הצליח לספק את החלקים בזמן
כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם
החשבונית של חודש מרץ כוללת שתים עשרה שעות ייעוץ ויש לשלם אותה בתוך שלושים יום
המשרד שלנו בעיר העתיקה נשאר סגור עד לסיום תיקון הגג
הרופאה ממליצה על יותר פעילות גופנית פחות מלח ובדיקה שנייה בסתיו
הלקוח מתלונן שהחבילה הגיעה פגומה ומבקש החלפה"""),
    "Hindi": ("Devanagari", """
बैठक गुरुवार तक टाल दी गई क्योंकि आपूर्तिकर्ता समय पर पुर्जे नहीं दे सका
सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतंत्रता और समानता प्राप्त है
मार्च के बिल में बारह घंटे का परामर्श शामिल है और इसका भुगतान तीस दिनों के भीतर करना होगा
पुराने शहर में हमारा कार्यालय छत की मरम्मत पूरी होने तक बंद रहेगा
डॉक्टर अधिक व्यायाम कम नमक और पतझड़ में दूसरी जाँच की सलाह देते हैं
ग्राहक शिकायत करता है कि पैकेट क्षतिग्रस्त पहुँचा और बदलने का अनुरोध करता है"""),
    "Bengali": ("Bengali", """
সভা বৃহস্পতিবারে সরানো হয়েছে কারণ সরবরাহকারী সময়মতো যন্ত্রাংশ দিতে পারেনি
সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং অধিকার নিয়ে জন্মগ্রহণ করে
মার্চের চালানে বারো ঘণ্টার পরামর্শ রয়েছে এবং ত্রিশ দিনের মধ্যে পরিশোধ করতে হবে
পুরানো শহরে আমাদের অফিস ছাদের মেরামত শেষ না হওয়া পর্যন্ত বন্ধ থাকবে
ডাক্তার বেশি ব্যায়াম কম লবণ এবং শরতে দ্বিতীয় পরীক্ষার পরামর্শ দেন
গ্রাহক অভিযোগ করেন যে প্যাকেজটি ক্ষতিগ্রস্ত অবস্থায় এসেছে এবং বদল চান"""),
    "Tamil": ("Tamil", """
சப்ளையர் பாகங்களை சரியான நேரத்தில் வழங்க முடியாததால் கூட்டம் வியாழக்கிழமைக்கு மாற்றப்பட்டது
மனிதர்கள் அனைவரும் சுதந்திரமாகவே பிறக்கின்றனர் மதிப்பிலும் உரிமையிலும் சமமானவர்கள்
மார்ச் மாத விலைப்பட்டியல் பன்னிரண்டு மணி நேர ஆலோசனையை உள்ளடக்கியது முப்பது நாட்களுக்குள் செலுத்த வேண்டும்
கூரை பழுது முடியும் வரை பழைய நகரத்தில் எங்கள் அலுவலகம் மூடப்பட்டிருக்கும்
மருத்துவர் அதிக உடற்பயிற்சி குறைந்த உப்பு மற்றும் இரண்டாவது பரிசோதனையை பரிந்துரைக்கிறார்
பொதி சேதமடைந்து வந்ததாக வாடிக்கையாளர் புகார் செய்து மாற்றீடு கேட்கிறார்"""),
    "Thai": ("Thai", """
การ ประชุม ถูก เลื่อน ไป วัน พฤหัสบดี เพราะ ผู้ จัดหา ไม่ สามารถ ส่ง ชิ้นส่วน ได้ ทัน เวลา
มนุษย์ ทั้งหลาย เกิด มา มี อิสระ และ เสมอภาค กัน ใน เกียรติศักดิ์ และ สิทธิ
ใบแจ้งหนี้ เดือน มีนาคม รวม ค่า ที่ปรึกษา สิบสอง ชั่วโมง และ ต้อง ชำระ ภายใน สามสิบ วัน
สำนักงาน ของ เรา ใน เมือง เก่า ปิด จน กว่า การ ซ่อม หลังคา จะ เสร็จ
แพทย์ แนะนำ ให้ ออกกำลังกาย มาก ขึ้น ลด เกลือ และ ตรวจ ครั้ง ที่ สอง ใน ฤดูใบไม้ร่วง
ลูกค้า ร้องเรียน ว่า พัสดุ มา ถึง ใน สภาพ เสียหาย และ ขอ เปลี่ยน"""),
    "Chinese": ("Chinese", """
由于 供应商 无法 按时 交付 零件 会议 改到 星期四 举行
人人 生而 自由 在 尊严 和 权利 上 一律 平等
三月 的 发票 包括 十二 小时 的 咨询 必须 在 三十 天 内 付清
我们 在 老城区 的 办公室 将 关闭 直到 屋顶 修理 完毕
医生 建议 多 运动 少 吃 盐 并 在 秋天 进行 第二次 检查
客户 投诉 包裹 到达 时 已经 损坏 并 要求 更换"""),
    "Japanese": ("Kana and kanji", """
部品 の 納品 が 間に合わなかった ため 会議 は 木曜日 に 変更 されました
すべて の 人間 は 生まれながら に して 自由 で あり 尊厳 と 権利 に ついて 平等 で ある
三月 の 請求書 には 十二 時間 の コンサルティング が 含まれ 三十 日 以内 に 支払う 必要 が あります
旧市街 の オフィス は 屋根 の 修理 が 終わる まで 閉まって います
医師 は もっと 運動 し 塩分 を 減らし 秋 に もう一度 検査 を 受ける こと を 勧めて います
お客様 は 荷物 が 壊れて 届いた と 苦情 を 述べ 交換 を 求めて います"""),
    "Korean": ("Hangul", """
공급업체가 부품을 제때 납품하지 못해서 회의가 목요일로 변경되었습니다
모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다
삼월 청구서에는 열두 시간의 상담이 포함되어 있으며 삼십 일 이내에 지불해야 합니다
구시가지에 있는 우리 사무실은 지붕 수리가 끝날 때까지 문을 닫습니다
의사는 더 많은 운동과 적은 소금 그리고 가을에 두 번째 검사를 권합니다
고객은 소포가 파손된 채 도착했다고 항의하며 교환을 요청합니다"""),
}

NAMES = {
    "Latin": """Maximilian Schwarzenberger;José María García Hernández;Bartłomiej Brzęczyszczykiewicz;Nguyễn Thị Minh Khai;
Ørjan Kristoffersen;François-Xavier Delacroix;João Pedro de Albuquerque;Zsuzsanna Szentgyörgyi;Aleksandra Wojciechowska;
Şükrü Özgür Yıldırım;Karl-Theodor zu Guttenberg;Siobhán Ní Dhomhnaill;Kateřina Dvořáková;Anne O'Sullivan;Li Wei;Mary Jones""",
    "Cyrillic": """Анна Аркадьевна Каренина;Александр Сергеевич Пушкин;Владислав Преображенский;Олена Шевченко;
Екатерина Константинопольская;Мария Иванова;Дмитрий Шостакович;Юлия Щербакова;Фёдор Достоевский;Андрій Ярмоленко""",
    "Greek": """Κωνσταντίνος Παπαδόπουλος;Αικατερίνη Χατζηγεωργίου;Γιώργος Σεφέρης;Ελένη Παπαδημητρίου;Νίκος Καζαντζάκης;
Μαρία Κάλλας""",
    "Arabic": "محمد علي;عبد الرحمن بن خلدون;فاطمة الزهراء;محمود درويش;عبد العزيز المنصور;نجيب محفوظ;شیرین عبادی;غلامحسین ساعدی",
    "Hebrew": "דוד בן גוריון;רחל ישראלי;יצחק רבינוביץ;אברהם יהושע;נעמי שמר;שמואל יוסף עגנון",
    "Devanagari": "अमिताभ बच्चन;राजेन्द्र प्रसाद;सरोजिनी नायडू;लक्ष्मीबाई;विश्वनाथन आनंद;प्रियंका चतुर्वेदी",
    "Thai": "สมชาย ใจดี;ธนวัฒน์ ศรีสวัสดิ์;กัญญารัตน์ วงศ์สุวรรณ;อภิสิทธิ์ เวชชาชีวะ",
    "Chinese": "李小龙;欧阳娜娜;王伟;司马相如;张曼玉;陈冠希",
    "Kana and kanji": "山田太郎;はなこ;スズキ イチロー;小野妹子;長谷川 かおり;ヴィルヘルム タナカ",
    "Hangul": "김철수;박지영;남궁민수;이순신;황보혜정;제갈공명",
}

UNSPACED = ("Chinese", "Japanese", "Thai")
PIECE = 30  # characters after which a writer sets a blank or a mark


def written(language, words):
    """The words as this language writes them."""
    if language not in UNSPACED:
        return " ".join(words)
    out = words[0]
    for word in words[1:]:
        piece = out.rsplit(" ", 1)[-1]
        out += (" " if len(piece) + len(word) > PIECE else "") + word
    return out
